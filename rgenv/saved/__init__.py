"""Reads what a run saved, for the commands that show or export it.

files.py        finds the files of a folder, and reads the lines that are new
lines.py        what one line says: a group, a sample, or the metrics of a step; what counts
"""
