"""Data sets of problems: which problem has which number, and its row.

numbered.py   makes problem n, which depends on the settings and on n alone
columns.py    rows in the columns of each trainer, and the card of a data set
"""
