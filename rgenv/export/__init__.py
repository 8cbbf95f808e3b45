"""The command `export`: saved completions, or new problems, as data for training.

cli.py            the command
exporter.py       reads a folder twice: to choose, and to write what was chosen
completions.py    which completions of a group may be exported, with their whole texts
choice.py         the best ones, or pairs, of each group and of each problem
sides.py          tells problems of training from those that are held out
report.py         says what was written and what was left out
formats.py        rows, and their files

problems_cli.py      the command with ``--problems``
problem_files.py     the files of a data set, and which are complete
"""
