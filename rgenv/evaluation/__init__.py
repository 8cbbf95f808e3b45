"""Evaluation: ask the model for a fixed set of problems, score its answers, write a report.

evaluate.py      runs one evaluation and writes its results
dataset.py       the evaluation set: held-out problems of each task
item_cache.py    the evaluation set on disk, and the code that scores answers
runner.py        asks for the samples and scores them
asking.py        what follows when a request fails
sample_log.py    the samples on disk, so that an interrupted run can continue
results.py       the results of each problem, and groups of problems
metrics.py       the numbers of an evaluation
estimates.py     means over problems with their intervals, also by length
intervals.py     intervals of means over problems of several tasks
chance.py        the interval of a share, tests of a change, and their power
compare.py       compares with another evaluation, problem by problem
terminal.py      tables and lines for the terminal
html_report.py   the HTML report, from html_report.html.j2
html_page.py     pages from templates, and their texts
examples.py      chooses failed and solved samples for the report
"""
