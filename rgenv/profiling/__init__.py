"""Which tasks a model can learn from, and from which level.

verdicts.py   what the completions of a task at a level show
bounds.py     intervals of a share that hold whenever the asking stops
walk.py       which level of a task is asked next, and what follows for the others
profiler.py   asks for completions, round by round, until each level has its verdict
profile.py    the result: what to train on, and from which level
report.py     the result as configuration file, page, and text for the terminal
page.html.j2  the page
"""
