"""Tasks and verifiers, checked without a model: the command `validate`.

cli.py      its options, progress and files
probe.py    asks about a task: right, wrong, junk and constant answers
health.py   what was measured, and whether that is healthy
report.py   the table, the page docs/TASKS.md, JSON
rescore.py  saved rollouts, scored again
"""
