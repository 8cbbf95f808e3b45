"""Evaluation: ask the model for a fixed set of problems, score its answers, write a report.

evaluate.py      runs one evaluation and writes its results
dataset.py       the evaluation set: held-out problems of each task
item_cache.py    the evaluation set on disk
runner.py        asks for the samples and scores them
asking.py        what follows when a request fails
scoring_code.py  which code scores the answers
sample_log.py    the samples on disk, so that an interrupted run can continue
results.py       the results of each problem, and groups of problems
metrics.py       the numbers of an evaluation
estimates.py     means over problems with their intervals
intervals.py     intervals of means over problems of several tasks
chance.py        the interval of a share, tests of a change, and their power
lengths.py       accuracy by the length of completions
compare.py       compares two evaluations problem by problem
earlier.py       chooses the evaluation to compare with
terminal.py      tables and lines for the terminal
html_report.py   the HTML report, from html_report.html.j2
html_page.py     pages from templates, and their texts
examples.py      chooses failed and solved samples for the report
"""
