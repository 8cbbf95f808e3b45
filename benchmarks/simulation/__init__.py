"""A training run that can be simulated in seconds, for benchmarks/sampling.py.

learner.py     a policy whose skills grow with informative groups
strategies.py  ways to choose the next task and its level
"""
