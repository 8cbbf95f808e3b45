"""Evaluation: ask the model for a fixed set of problems, score its answers, write a report.

evaluate.py      runs one evaluation and writes its results
dataset.py       the evaluation set: held-out problems of each task
item_cache.py    the evaluation set on disk
runner.py        asks for the samples and scores them
sample_log.py    the samples on disk, so that an interrupted run can continue
metrics.py       the numbers of an evaluation
compare.py       compares two evaluations problem by problem
report.py        writes the HTML report and the plots
plots.py         plots as PNG files
html_report.py   the HTML report, from html_report.html.j2
html_text.py     text and numbers for the HTML report
failures.py      chooses failed samples for the HTML report
"""
