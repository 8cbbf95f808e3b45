"""Everything that knows Atropos; the only package that imports atroposlib and wandb.

arguments.py  the command line in the one form that Atropos reads as it is meant
delivery.py   groups on their way to the rollout API
"""
