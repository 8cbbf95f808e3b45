"""Profiling a model: which tasks can be trained, from which level, at the least cost.

bounds.py      intervals of a share that hold whenever the asking stops
verdicts.py    what the completions of a cell (a task at a level) show
walk.py        which cell is asked next, and what follows for the others
problems.py    training problems of a cell, in a fixed order
profiler.py    asks for completions, stage by stage, until every cell has its verdict
profile.py     the result: cells, tasks, starting levels, tokens used and saved
config_text.py the configuration file for `serve`
files.py       writes cells, page and configuration into a folder
terminal.py    the table for the terminal
html_report.py the page, from html_report.html.j2
"""
