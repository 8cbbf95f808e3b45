"""rgenv/runtime/shutdown.py: how a command ends."""

import asyncio

import pytest

from rgenv.runtime.shutdown import Shutdown
from tests.support.programs import signalled


async def test_the_first_error_of_call_off_is_raised_and_reported() -> None:
    """`abort` cancels the work; `guard` closes."""
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
    """Close finishes after signals within a second; a later signal ends the process at once."""
    closed = ["working", "closing", "closed", "signal", "SIGTERM"]
    quick, slow = PROGRAM.format(seconds=0.3), PROGRAM.format(seconds=60)
    assert signalled(quick, pauses=[0, 0.1, 0])[:2] == (143, closed)
    assert signalled(slow, pauses=[0, 1.5])[:2] == (143, ["working", "closing"])
