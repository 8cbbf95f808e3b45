"""Restricts what a worker process may do, should the guard fail.

sandbox.py       restrictions on the process, in layers
system_calls.py  the system calls that are left to it
landlock.py      gives up all rights to files, ports and other processes
held_files.py    files that are read later, kept in memory: a worker opens none
"""
