"""rgenv/runtime/shutdown.py and signals.py: how a command ends."""

import asyncio

import pytest

from rgenv.runtime.shutdown import Shutdown
from tests.support.programs import run_python, signalled


async def test_the_first_error_of_call_off_is_raised_and_reported() -> None:
    shutdown, closed, reports = Shutdown(), [], []

    async def work() -> None:
        shutdown.abort(RuntimeError("first"))
        shutdown.abort(RuntimeError("second"))
        await asyncio.Event().wait()

    async def close() -> None:
        closed.append(True)

    with pytest.raises(RuntimeError, match="first"):
        await shutdown.guard(work(), close, reports.append)
    shutdown.abort(RuntimeError("too late"))
    assert closed == [True] and [str(error) for error in reports] == ["first"]


PROGRAM = """
import asyncio
from rgenv.runtime.shutdown import Shutdown

async def work():
    print("working", flush=True)
    await asyncio.sleep(60)

async def close():
    print("closing", flush=True)
    await asyncio.sleep({seconds})
    print("closed", flush=True)

asyncio.run(Shutdown().guard(work(), close, lambda error: print(error, flush=True)))
"""


def test_one_signal_closes_and_a_second_one_ends_the_process() -> None:
    closed = ["working", "closing", "closed", "signal", "SIGTERM"]
    quick, slow = PROGRAM.format(seconds=0.3), PROGRAM.format(seconds=60)
    assert signalled(quick, pauses=[0, 0.1, 0])[:2] == (143, closed)
    assert signalled(slow, pauses=[0, 3])[:2] == (143, ["working", "closing"])


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
    assert signalled(AFTER_ITS_WORK) == (143, ["now"], "Ended: signal SIGTERM.\n")
