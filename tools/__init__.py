"""Programs for those who work on the project; no part of the wheel.

measure.py     measure tasks, and write rgenv/measured.json, docs/TASKS.md and its picture
tasks_page.py  the page and the picture
guesses.py     rules that pick one of a few possible answers, for blind shares
work/          measures of the work that a problem takes
mutants.py     measure how many small faults in the code the tests catch
mutations.py   the small faults that a source file can be given
probes.py      find the tests that run given lines, in whatever process
trials.py      run tests on a copy of the tree, within limits
"""
