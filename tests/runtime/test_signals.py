"""rgenv/runtime/signals.py: what a signal does before and after the work of a command."""

import os
import signal

from rgenv.runtime.signals import handled_by
from tests.support.programs import signalled

AFTER_ITS_WORK = """
import asyncio, time
from rgenv.runtime.shutdown import Shutdown
from rgenv.runtime.signals import end_on_signals
end_on_signals()
async def close():
    pass
asyncio.run(Shutdown().guard(asyncio.sleep(0), close))
print("now", flush=True)
time.sleep(60)
"""


def test_a_signal_after_the_work_has_a_last_line() -> None:
    """tests/cli/test_entry.py has those before it."""
    assert signalled(AFTER_ITS_WORK) == (143, ["now"], "Ended: signal SIGTERM.\n")


def test_a_function_gets_the_signals_of_a_body() -> None:
    """Signals within a second are one: `timeout` signals a process and then its group."""
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    got: list[int] = []
    with handled_by(got.append):
        os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGINT)
    assert got == [signal.SIGTERM]
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before
