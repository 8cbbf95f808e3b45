"""How a command starts, waits, reports and ends.

preflight.py        what has to be there before anything starts
shutdown.py         signals, and the end of a command
backoff.py          pauses between attempts, and when to stop attempting
progress.py         a bar in a terminal, a line now and then elsewhere
background_loop.py  an event loop of its own, for callers whose loops come and go
host.py             replica, accounts, folders, garbage collector
"""
