"""rgenv/runtime/signals.py: what a signal does before and after the work of a command."""

import pytest

from tests.support.programs import run_python, signalled

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


HANGUP = """
import signal
signal.signal(signal.SIGHUP, signal.{})
from rgenv.runtime.signals import end_on_signals
end_on_signals()
signal.raise_signal(signal.SIGHUP)
print("now", flush=True)
"""


@pytest.mark.parametrize(
    ("before", "end"),
    [("SIG_DFL", (129, "", "Ended: signal SIGHUP.\n")), ("SIG_IGN", (0, "now\n", ""))],
)
def test_a_hangup_ends_a_program_unless_it_is_ignored(
    before: str, end: tuple[int, str, str]
) -> None:
    done = run_python("-c", HANGUP.format(before), check=False)
    assert (done.returncode, done.stdout, done.stderr) == end


def test_a_signal_after_the_work_has_a_last_line() -> None:
    """tests/cli/test_entry.py has those before it."""
    assert signalled(AFTER_ITS_WORK) == (143, ["now"], "Ended: signal SIGTERM.\n")
