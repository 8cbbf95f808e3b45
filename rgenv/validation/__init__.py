"""Checks of tasks and verifiers without a model: the command `validate`.

cli.py           options, progress, output files
probe.py         makes the problems of a task and has generated answers scored
answers.py       generates wrong answers, junk and constants
forms.py         right answers in other forms, and wrong ones in the same forms
form_writers.py  the forms of each kind of value
wrong_values.py  changed values that are wrong
health.py        the measurements, and the rules that a healthy task keeps
report.py        the table, the page docs/TASKS.md, JSON
rescore.py       scores saved rollouts again
"""
