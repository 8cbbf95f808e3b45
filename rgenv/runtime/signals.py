"""SIGTERM, SIGINT and SIGHUP: end the process with one line, or call a function instead.

This file imports little, because a program calls `end_on_signals` before it imports anything else.
"""

import contextlib
import os
import signal
import time
from collections.abc import Callable, Iterator
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


@contextlib.contextmanager
def handled_by(handle: Callable[[int], object]) -> Iterator[None]:
    """Call `handle` with the number of each signal that arrives while the body runs.

    Signals within a second are one: `timeout` and job schedulers signal a process and then its
    group. Only the main thread can do this; in another one, nothing happens.
    """
    last = float("-inf")

    def received(number: int, _: object) -> None:
        nonlocal last
        if time.monotonic() - last > 1:
            last = time.monotonic()
            handle(number)

    before = {}
    with contextlib.suppress(ValueError):
        before = {number: signal.signal(number, received) for number in SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


def end_now(number: int, why: str) -> NoReturn:
    """Write why the process ends, past Python's buffers, and end it with a signal's exit code."""
    with contextlib.suppress(OSError):  # nobody reads the log any more
        os.write(2, f"Ended: {why}.\n".encode())
    os._exit(128 + number)
