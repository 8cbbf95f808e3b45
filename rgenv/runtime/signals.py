"""SIGTERM, SIGINT and SIGHUP end the process with one line.

This file imports little, because a program calls `end_on_signals` before it imports anything else.
"""

import contextlib
import os
import signal
from typing import NoReturn

SIGNALS = [signal.SIGINT, signal.SIGTERM]
if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # as it is under nohup
    SIGNALS.append(signal.SIGHUP)


def end_on_signals() -> None:
    """End this process at once after a signal, with a line that says so.

    The exit code is 128 plus the signal's number. Does nothing in a thread other than the main one.
    """
    with contextlib.suppress(ValueError):
        for number in SIGNALS:
            signal.signal(number, lambda n, _: end_now(n, f"signal {signal.Signals(n).name}"))


def end_now(number: int, why: str) -> NoReturn:
    """Write why the process ends, past Python's buffers, and end it with a signal's exit code."""
    with contextlib.suppress(OSError):  # nobody reads the log any more
        os.write(2, f"Ended: {why}.\n".encode())
    os._exit(128 + number)
