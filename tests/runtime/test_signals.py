"""rgenv/runtime/signals.py: what a signal does before and after the work of a command."""

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


UNDER_NOHUP = """
import signal
from rgenv.runtime.signals import end_on_signals
signal.signal(signal.SIGHUP, signal.SIG_IGN)
end_on_signals()
signal.raise_signal(signal.SIGHUP)
print("now", flush=True)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
end_on_signals()
signal.raise_signal(signal.SIGHUP)
"""


def test_a_hangup_ends_a_program_unless_it_is_ignored() -> None:
    done = run_python("-c", UNDER_NOHUP, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (129, "now\n", "Ended: signal SIGHUP.\n")


def test_a_signal_after_the_work_has_a_last_line() -> None:
    """tests/cli/test_entry.py has those before it."""
    assert signalled(AFTER_ITS_WORK) == (143, ["now"], "Ended: signal SIGTERM.\n")
