"""Files that survive kill -9 and full disks.

journal.py     a file that grows line by line
checkpoint.py  files that continue a run
atomic.py      replacing a file as a whole
"""
