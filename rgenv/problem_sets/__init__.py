"""Data sets of problems: which problem has which number, and its row."""
