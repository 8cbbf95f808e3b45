"""Start, shutdown, retries and progress of a command.

preflight.py        checks at the start that files load and folders can be written
shutdown.py         signals, fatal errors, and the end of a command
signals.py          what a signal does before and after the work of a command
backoff.py          pauses between attempts, and the time after which patience ends
progress.py         a bar in a terminal, a line now and then elsewhere
large_json.py       parses large answers beside the event loop
background_loop.py  one long-lived event loop, whichever loop a caller runs in
parts.py            parts of some work at the same time, with results in order
host.py             replica, wandb account, dumps folder, garbage collector
"""
