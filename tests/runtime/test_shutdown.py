"""rgenv/runtime/shutdown.py: how a command ends."""

import subprocess
import sys
import time
from collections.abc import Sequence

from tests.support.paths import ROOT

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


def run_with_signals(close_seconds: float, pauses: Sequence[float]) -> tuple[int, list[str]]:
    """Run a program, signal it after its first line and each pause; return exit code and lines."""
    code = PROGRAM.format(seconds=close_seconds)
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        lines = [child.stdout.readline().strip()]
        for pause in pauses:
            time.sleep(pause)
            child.terminate()
        lines += child.stdout.read().split()
    return child.returncode, lines


def test_one_signal_closes_and_a_second_one_ends_the_process() -> None:
    """Close finishes after signals within a second; a later signal ends the process at once."""
    closed = ["working", "closing", "closed", "signal", "SIGTERM"]
    assert run_with_signals(0.3, pauses=[0, 0.1, 0]) == (143, closed)
    assert run_with_signals(60, pauses=[0, 1.5]) == (143, ["working", "closing"])
