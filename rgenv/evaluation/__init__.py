"""A fixed set of problems, answered once.

item_cache.py    the evaluation set on disk
runner.py        asks every item
sample_log.py    the answers on disk, to go on from
metrics.py       the numbers of an evaluation
compare.py       two evaluations compared
report.py        what an evaluation leaves beside its answers
plots.py         pictures of results
html_report.py   an evaluation as one page, from html_report.html.j2
"""
