"""Files that survive kill -9 and full disks.

journal.py     a JSON lines file that grows line by line; recovery after a killed process
checkpoint.py  the state of a run, saved by step
atomic.py      replaces a whole file
"""
