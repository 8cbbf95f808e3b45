"""Evaluation: ask the model for a fixed set of problems, score its answers, write a report.

evaluate.py      runs one evaluation and writes its results
dataset.py       the evaluation set: held-out problems of each task
item_cache.py    the evaluation set on disk
runner.py        asks for the samples and scores them
asking.py        what follows when a request fails
cost.py          numbers of requests and tokens, before they are asked
scoring_code.py  which code scores the answers
sample_log.py    the samples on disk, so that an interrupted run can continue
results.py       the results of each problem, and groups of problems
metrics.py       the numbers of an evaluation
estimates.py     means over problems with their intervals
intervals.py     intervals of means over problems of several tasks
binomial.py      the interval of a share
power.py         which change an evaluation can show
lengths.py       accuracy by the length of completions
compare.py       compares two evaluations problem by problem
paired_test.py   tests whether a change is more than chance
terminal.py      tables and lines for the terminal
report.py        chooses the earlier run, writes the HTML report and the plots
plots.py         plots as PNG files
html_report.py   the HTML report, from html_report.html.j2
html_text.py     text and numbers for the HTML report
examples.py      chooses failed and solved samples for the report
"""
