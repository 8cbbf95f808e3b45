"""Files that survive kill -9 and full disks.

json_lines.py  a file that grows line by line
checkpoint.py  the state of a run, saved by step
state_log.py   the state of a run and the events after it
lock.py        a lock that one process holds
atomic.py      replaces a whole file
files.py       opens files where others may have put something else
"""
