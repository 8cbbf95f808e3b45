"""Checks of tasks and verifiers without a model: the command `validate`.

cli.py           options, progress, output files
probe.py         makes the problems of a task and has generated answers scored
answers.py       generates wrong answers, junk and constants
tells.py         how much of a label can be told from the surface of the question
measures.py      shares with intervals, policies that do not solve, work
constants.py     one answer for all problems, and what it earns
same_answers.py  whether two answers are the same
rules.py         names and limits of the rules that a healthy task keeps
health.py        all measurements of a task, and which rules they break
report.py        the table, and JSON
page.py          the page docs/TASKS.md, and what measured.json carries of a validation
plot.py          the picture docs/tasks.png
rescore.py       scores saved rollouts again
"""
