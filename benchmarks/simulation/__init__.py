"""Training runs that can be simulated in seconds, for benchmarks/sampling.py and curriculum.py.

learner.py     a policy whose skills grow with informative groups
strategies.py  ways to choose the next task and its level
policies.py    policies that do not learn, whose completions are cut, slow or lucky
stepwise.py    the curriculum as it was, for comparison
"""
