"""Parts of waste.py: an inference server that takes time, and environments that use it.

engine.py  an inference server that generates a given number of completions at a time
fleet.py   environments over it, with our loop or Atropos' own, and a trainer
"""
