"""Checks of tasks and verifiers without a model: the command `validate`.

cli.py       options and progress
probe.py     makes the problems of a task and has generated answers scored
answers.py   generates wrong answers, junk and constants; compares answers
programs.py  programs that do not solve the task, fitted to rules and features
features.py  what can be counted in a question
measures.py  shares with intervals, what constants earn, work
health.py    all measurements of a task, and which rules they break
report.py    the table in the terminal
openenv_report.py   the results with the check ids of OpenEnv
rescore.py   scores saved rollouts again
"""
