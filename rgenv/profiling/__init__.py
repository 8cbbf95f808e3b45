"""Which tasks a model can learn from, and from which level.

verdicts.py   what the completions of a task at a level show
walk.py       asks for completions, level by level, until each has its verdict
profile.py    the result: what to train on, and from which level
report.py     the result as configuration file, page, and text for the terminal
page.html.j2  the page
"""
