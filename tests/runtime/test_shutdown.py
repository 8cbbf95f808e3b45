"""rgenv/runtime/shutdown.py: how a command ends."""

import asyncio
import signal
import subprocess
import sys

import pytest

from rgenv.runtime.shutdown import Shutdown
from tests.support.paths import ROOT


async def forever() -> None:
    await asyncio.Event().wait()


class Closing:
    """Counts how often it is awaited."""

    def __init__(self) -> None:
        self.times = 0

    async def __call__(self) -> None:
        await asyncio.sleep(0)
        self.times += 1


async def test_close_follows_work_that_is_done() -> None:
    """Nothing is raised, and what is to be closed is."""
    close = Closing()
    await Shutdown().guard(asyncio.sleep(0), close)
    assert close.times == 1


async def test_close_follows_work_that_fails() -> None:
    """The failure comes out after the closing."""

    async def fail() -> None:
        raise ValueError("no")

    close = Closing()
    with pytest.raises(ValueError, match="no"):
        await Shutdown().guard(fail(), close)
    assert close.times == 1


async def test_close_follows_a_cancellation() -> None:
    """Whoever cancels the command sees it cancelled, and closed."""
    close = Closing()
    task = asyncio.create_task(Shutdown().guard(forever(), close))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert close.times == 1


async def test_work_that_makes_no_sense_is_called_off() -> None:
    """The first reason is raised, once everything is closed; later ones are not heard."""
    ending, close = Shutdown(), Closing()

    async def doomed() -> None:
        ending.call_off(RuntimeError("first"))
        ending.call_off(RuntimeError("second"))
        await forever()

    with pytest.raises(RuntimeError, match="first"):
        await ending.guard(doomed(), close)
    ending.call_off(RuntimeError("too late"))
    assert close.times == 1


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

asyncio.run(Shutdown().guard(work(), close))
"""


def signalled(number: signal.Signals, closing_takes: float, times: int) -> tuple[int, list[str]]:
    """Exit code and lines of a program that gets a signal after each line it prints."""
    code = PROGRAM.format(seconds=closing_takes)
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        lines = []
        for _ in range(times):
            lines.append(child.stdout.readline().strip())
            child.send_signal(number)
        lines += child.stdout.read().split()
    return child.returncode, lines


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_closes_and_a_second_one_does_not_wait(number: signal.Signals, code: int) -> None:
    """One signal leaves the closing its time; the next ends the process at once."""
    assert signalled(number, 0.1, times=1) == (code, ["working", "closing", "closed"])
    assert signalled(number, 60, times=2) == (code, ["working", "closing"])
