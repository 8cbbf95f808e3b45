"""Run one environment for an hour while a few of all requests fail; prints one JSON object.

    python benchmarks/endurance.py [--minutes 60] [--rate 0.01]

The loop is that of faults.py, over all tasks, with faults of all kinds at the same time; the
rollout API is killed and restarted every `RESTART_MINUTES`. Reported are groups that were lost or
sent twice, and, for each quarter of the time, the medians of the memory and the open descriptors
of the environment, and the memory of its workers together. Flat memory is a last quarter like the
second one: the first fills caches.
"""

from __future__ import annotations

import asyncio
import contextlib
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tqdm import tqdm

from benchmarks.faults import API_FAULTS, INFERENCE_FAULTS, FaultySystem, end, scored
from benchmarks.harness import Json, descendants, parser, print_json, resident_mb

MAX_TOKEN_LENGTH = 8192
SAMPLE_SECONDS = 10.0
RESTART_MINUTES = 10.0
HANG_RATE = 0.001
"""A request that hangs takes seconds of waiting, so few do."""


@dataclass(frozen=True)
class Sample:
    """What the environment uses at one moment: MiB, MiB of its workers, descriptors."""

    memory: float
    workers: float
    descriptors: float


def sample(pid: int) -> Sample:
    """Read what a process uses, and the workers, which are children of its child."""
    workers = 0.0
    for child in descendants(pid):
        with contextlib.suppress(OSError):  # it is being replaced
            workers += resident_mb(child)
    descriptors = len(list(Path(f"/proc/{pid}/fd").iterdir()))
    return Sample(resident_mb(pid), workers, descriptors)


def quarters(samples: list[Sample]) -> list[Json]:
    """Return the medians of each quarter of the samples."""
    size = max(1, len(samples) // 4)
    parts = [samples[start : start + size] for start in range(0, 4 * size, size)]
    return [
        {
            name: round(statistics.median(getattr(one, name) for one in part), 1)
            for name in ("memory", "workers", "descriptors")
        }
        for part in parts
        if part
    ]


async def measure(folder: Path, minutes: float, rate: float) -> Json:
    """Run the loop and sample the environment."""
    samples: list[Sample] = []
    async with FaultySystem(folder, max_token_len=MAX_TOKEN_LENGTH + 1) as system:
        env = await system.start_environment(
            task_names="", max_token_length=MAX_TOKEN_LENGTH, steps_per_eval=0
        )
        await system.children.while_alive(system.until_delivered(4))
        for proxy, faults in ((system.inference, INFERENCE_FAULTS), (system.api, API_FAULTS)):
            proxy.rates = {fault: HANG_RATE if fault == "hang" else rate for fault in faults}
        began, restarts = time.monotonic(), 0
        with tqdm(total=round(minutes * 60), unit="s", disable=None) as bar:
            while (
                took := time.monotonic() - began
            ) < 60 * minutes and env.process.returncode is None:
                await asyncio.sleep(SAMPLE_SECONDS)
                samples.append(sample(env.process.pid))
                bar.update(round(time.monotonic() - began) - bar.n)
                if took / 60 > (restarts + 1) * RESTART_MINUTES:
                    restarts += 1
                    await system.restart_api()
        system.inference.rates, system.api.rates = {}, {}
        await system.until_delivered(4)
        code, log = await end(env), env.log.read_text()
        on_disk = system.groups_on_disk()
        return {
            "minutes": minutes,
            "exit_code": code,
            "injected": (system.inference.injected + system.api.injected).total(),
            "api_restarts": restarts,
            "groups_scored": scored(log),
            "lost": scored(log) - len(set(system.delivered) & set(on_disk)),
            "duplicated": system.twice,
            "duplicated_on_disk": on_disk.total() - len(on_disk),
            "tracebacks": log.count("Traceback"),
            "quarters": quarters(samples),
        }


def main() -> None:
    command_line = parser(__doc__)
    command_line.add_argument("--minutes", type=float, default=60.0, help="of the run")
    command_line.add_argument("--rate", type=float, default=0.01, help="of each kind of fault")
    options = command_line.parse_args()
    with tempfile.TemporaryDirectory() as name:
        print_json(asyncio.run(measure(Path(name), options.minutes, options.rate)))


if __name__ == "__main__":
    main()
