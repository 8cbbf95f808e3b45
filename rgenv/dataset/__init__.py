"""The sequence of training problems.

source.py        ItemSource, which puts the others together
stream.py        the task and the seed of problem n of a replica
task_sampler.py  tasks whose groups are likely to be informative
difficulty.py    the level of the next problem of a task
filters.py       repeated and held-out prompts, frequent reference answers
prefetch.py      problems made ahead of demand, handed out in order
"""
