"""What is asked next.

stream.py        which problem item n of a replica is
filters.py       repeated and held-out prompts, labels that come too often
difficulty.py    at which level the next problem of a task is made
task_sampler.py  which task promises rewards that differ
prefetch.py      problems made ahead of demand, handed out in order
"""
