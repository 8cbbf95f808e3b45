"""Checks of tasks and verifiers without a model: the command `validate`.

cli.py           options, progress, output files
probe.py         makes the problems of a task and has generated answers scored
answers.py       generates wrong answers, junk and constants
programs.py      programs that do not solve the task, fitted to rules and features
features.py      what can be counted in a question
measures.py      shares with intervals, what constants earn, work
same_answers.py  whether two answers are the same
health.py        all measurements of a task, and which rules they break
report.py        the table, and JSON
page.py          the page docs/TASKS.md, and what measured.json carries of a validation
plot.py          the picture docs/tasks.png
rescore.py       scores saved rollouts again
"""
