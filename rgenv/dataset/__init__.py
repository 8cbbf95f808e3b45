"""The sequence of training problems.

source.py          ItemSource: serves, records and replays the problems of one replica
attempts.py        what is tried for problem n, and whether it may be served
plans.py           the task and the level of problem n, and of further attempts at it
stream.py          the task and the seed of problem n of a replica
difficulty.py      the level of the next problem of a task; the curriculum
room.py            the levels of a task whose prompts leave room for an answer
level_estimate.py  the level at which a policy reaches a target
shared_evidence.py what groups showed: learned from, and exchanged between replicas
filters.py         finds repeated prompts, and frequent reference answers
prefetch.py        makes problems ahead of demand and hands them out in order
"""
