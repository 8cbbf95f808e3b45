"""The parent's side of the process wall.

pool.py      WorkerPool: makes problems and scores answers, replaces workers that fail
process.py   one worker process: start it, exchange JSON lines, end it
library.py   where the workers find reasoning-gym
"""
