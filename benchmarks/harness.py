"""Helpers of the benchmarks: command lines, output, rates, stalls and facts about processes."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
Json = dict[str, Any]
BEAT_SECONDS = 0.001
"""Seconds that a task sleeps between two measurements of the event loop's delay."""


def parser(doc: str | None) -> argparse.ArgumentParser:
    """Return a parser whose description is the first line of a module's docstring."""
    return argparse.ArgumentParser(description=(doc or "").partition("\n")[0])


def print_json(result: Json) -> None:
    print(json.dumps(result, indent=2))


async def stalls_during(work: Awaitable[object]) -> dict[str, float]:
    """Await `work` and return how late the event loop was meanwhile, in milliseconds.

    That is the longest delay of a wake, the 99.9th percentile, and the most processor time of this
    process between two wakes, which other programs on the machine do not change.
    """
    delays: list[float] = []
    used: list[float] = []

    async def beat() -> None:
        last, cpu = time.perf_counter(), time.process_time()
        while True:
            await asyncio.sleep(BEAT_SECONDS)
            now, cpu_now = time.perf_counter(), time.process_time()
            delays.append(now - last - BEAT_SECONDS)
            used.append(cpu_now - cpu)
            last, cpu = now, cpu_now

    beating = asyncio.create_task(beat())
    try:
        await work
    finally:
        beating.cancel()
    delays.sort()
    return {
        "longest_ms": round(delays[-1] * 1000, 2),
        "p999_ms": round(delays[int(len(delays) * 0.999) - 1] * 1000, 2),
        "longest_cpu_ms": round(max(used) * 1000, 2),
    }


def run_python(words: Sequence[str], environment: Mapping[str, str]) -> Json:
    """Run a Python program to its end and return the JSON object on its last line.

    Raises:
        RuntimeError: the program failed; the message has the end of its stderr.
    """
    done = subprocess.run(
        [sys.executable, *words], env=os.environ | environment, capture_output=True, text=True
    )
    if done.returncode:
        raise RuntimeError(f"{words[:2]} failed:\n{done.stderr[-3000:]}")
    result: Json = json.loads(done.stdout.splitlines()[-1])
    return result


async def end_process(
    process: asyncio.subprocess.Process, number: signal.Signals, timeout: float
) -> int:
    process.send_signal(number)
    async with asyncio.timeout(timeout):
        return await process.wait()


def resident_mb(pid: int | str = "self") -> float:
    """Return the resident set of a process in MiB."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return round(pages * os.sysconf("SC_PAGE_SIZE") / 2**20, 1)


def descendants(pid: int) -> list[int]:
    """Return the ids of the processes that a process and its children have started."""
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    children: list[int] = []
    with contextlib.suppress(OSError):  # it has ended
        children = [int(child) for task in tasks for child in task.read_text().split()]
    return [found for child in children for found in (child, *descendants(child))]
