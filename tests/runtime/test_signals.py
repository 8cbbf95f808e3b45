"""rgenv/runtime/signals.py: what a signal does before and after the work of a command."""

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
