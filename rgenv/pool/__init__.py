"""The parent's side of the worker processes.

pool.py      WorkerPool: makes problems and scores answers
slots.py     give workers their jobs, and replace those that fail
jobs.py      requests that wait for a worker, and which worker gets which
workers.py   starts workers and ends them
template.py  the process that forks workers
process.py   one worker process: starts it, exchanges JSON lines, ends it
channel.py   its pipes: no line is taken that was not asked for
replies.py   parses lines within limits, and checks what they hold
verdicts.py  verdicts on answers that no worker sees
wall.py      says which layers confine a worker, and what is missing
library.py   finds reasoning-gym for the workers
coverage.py  to which tasks of the library our corrections apply
task_modules.py  find the modules of a user's own tasks, and try the tasks
"""
