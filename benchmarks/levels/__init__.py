"""The parts of benchmarks/difficulty.py.

make_items.py   the child program that makes items of one task and measures them
maker.py        that program seen from its parent: requests, time limit, restart
correlation.py  how closely a task's parameters and lengths follow its level
"""
