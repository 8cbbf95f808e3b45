"""The helpers of the benchmarks: rates, stalls, child programs and processes."""

import asyncio
import os
import signal
import subprocess
import sys
import time

import pytest

from benchmarks.harness import (
    child_pids,
    end_process,
    per_second,
    resident_mb,
    run_python,
    stalls_during,
)


async def test_a_rate_counts_every_piece_within_its_concurrency() -> None:
    """Each piece is worked on once, and never more pieces at a time than asked for."""
    running, most, seen = 0, 0, []

    async def work(piece: int) -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        seen.append(piece)
        running -= 1

    assert await per_second(work, range(10), concurrency=3) > 0
    assert sorted(seen) == list(range(10)) and most == 3


async def test_a_blocked_event_loop_shows_as_a_stall() -> None:
    """Blocking the loop for 50 ms gives a stall of about that length."""

    asyncio.get_running_loop().call_later(0.01, time.sleep, 0.05)
    stalls = await stalls_during(asyncio.sleep(0.05))
    assert stalls["longest_ms"] >= 45


def test_a_program_gives_its_last_line_or_its_error() -> None:
    """Output before the JSON line is ignored, and a failing program's stderr is in the error."""
    program = "import os; print('noise'); print('{\"a\": %s}' % os.environ['A'])"
    assert run_python(["-c", program], {"A": "7"}) == {"a": 7}
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        run_python(["-c", "1 / 0"], {})


async def test_a_process_is_found_measured_and_ended() -> None:
    """A child is among our children, has memory, and its exit code names the signal."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", "input()", stdin=subprocess.PIPE
    )
    assert process.pid in child_pids(os.getpid())
    assert 0 < resident_mb(process.pid) < resident_mb()
    assert await end_process(process, signal.SIGKILL, timeout=60) == -signal.SIGKILL
