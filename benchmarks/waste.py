"""Measure the generation that environments throw away; prints one JSON object.

    python benchmarks/waste.py [--environments 1,4,8,16] [--trainers slow,matched,fast]

Environments share a real rollout API, a trainer, and an inference server whose completions take
lognormal time and which has room for 64 of them for each environment, the 8 groups of 8 that
Atropos asks for by default. Each measurement runs two fleets side by side, one with our loop and
one with Atropos' own, each with an API of its own. Further ones mix both kinds on one API, lose six
of eight environments half way, and give one environment a server with room for 256. Reported are

- the share of all generated tokens that were cancelled before their request was answered, and the
  part of it that environments with our loop cancelled, killed ones included;
- the share of its time for which the trainer waited for a batch, and the tokens it was given;
- the share of the server's slots that were busy, and the longest queue in groups, of a limit of 24.

The slow trainer takes 5 medians of a completion for a batch, whatever the number of environments,
the matched one as long as the server needs for a batch, and the fast one no time. Problems and
verdicts are made up; one group in five has equal rewards and is not sent.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("WANDB_MODE", "disabled")

from tqdm import tqdm

from benchmarks.generation.fleet import BATCH_SIZE, GROUP_SIZE, Fleet, Setup
from benchmarks.harness import Json, parser, print_json
from demo.launch import start_api
from demo.processes import Children
from demo.tokenizer import build_tokenizer

SLOTS, LARGE = 64, 256
"""Completions at a time of a server, and of a large one."""

TRAINERS = ("slow", "matched", "fast")
SLOW = 5.0
"""What a slow trainer takes for a batch, in medians of a completion."""

GROUP_MEDIANS = 2.6
"""About what the longest of 8 completions takes, in medians."""

SENT = 0.78
"""About the share of groups whose rewards differ."""

WARM_UP = 0.25
"""The part of the time before the measurement."""


def seconds_per_batch(trainer: str, environments: int, median: float) -> float:
    """Return what a trainer takes for a batch."""
    groups_at_once = environments * SLOTS / GROUP_SIZE
    groups_per_second = SENT * groups_at_once / (GROUP_MEDIANS * median)
    matched = BATCH_SIZE / GROUP_SIZE / groups_per_second
    return {"slow": SLOW * median, "matched": matched, "fast": 0.0}[trainer]


async def run_fleets(setups: Sequence[Setup], seconds: float, lose: int = 0) -> list[Json]:
    """Run fleets at the same time and return the result of each.

    Args:
        lose: how many environments of each are killed half way.
    """

    async def run(fleet: Fleet) -> Json:
        async with fleet:
            await asyncio.sleep(WARM_UP * seconds)
            fleet.begin()
            await asyncio.sleep((1 - WARM_UP) * seconds / 2)
            fleet.kill(lose)
            await asyncio.sleep((1 - WARM_UP) * seconds / 2)
            return fleet.result()

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tokenizer = build_tokenizer(folder / "tokenizer")
        async with Children(logs=folder) as children:
            fleets = [
                Fleet(await start_api(children), folder / str(index), tokenizer, setup)
                for index, setup in enumerate(setups)
            ]
            return list(await asyncio.gather(*map(run, fleets)))


async def measure(
    environments: Sequence[int],
    trainers: Sequence[str],
    seconds: float,
    median: float,
    extras: bool,
) -> Json:
    """Measure each number of environments with each trainer.

    Args:
        extras: measure mixed fleets and the loss of environments, too.
    """
    rows, mixed = [], []
    with tqdm(total=len(environments) * len(trainers), disable=None) as bar:
        for number in environments:
            for trainer in trainers:
                took = seconds_per_batch(trainer, number, median)
                sides = [
                    Setup(number, 0, took, median, SLOTS),
                    Setup(0, number, took, median, SLOTS),
                ]
                ours, theirs = await run_fleets(sides, seconds)
                row = {"environments": number, "trainer": trainer, "seconds_per_batch": took}
                rows.append({**row, "ours": ours, "atropos": theirs})
                bar.update()
    for trainer in trainers if extras else ():
        took = seconds_per_batch(trainer, 4, median)
        sides = [Setup(2, 2, took, median, SLOTS), Setup(0, 4, took, median, SLOTS)]
        both, theirs = await run_fleets(sides, seconds)
        mixed.append({"trainer": trainer, "two_of_each": both, "four_of_atropos": theirs})
    lost = []
    for trainer in trainers if extras else ():
        took = seconds_per_batch(trainer, 2, median)
        sides = [Setup(8, 0, took, median, SLOTS), Setup(0, 8, took, median, SLOTS)]
        ours, theirs = await run_fleets(sides, seconds, lose=6)
        lost.append({"trainer": trainer, "ours": ours, "atropos": theirs})
    sides = [Setup(1, 0, 0.0, median, LARGE), Setup(0, 1, 0.0, median, LARGE)]
    ours, theirs = await run_fleets(sides, seconds) if extras else ({}, {})
    return {
        "median_seconds": median,
        "seconds": seconds,
        "alone": rows,
        "mixed": mixed,
        "six_of_eight_killed": lost,
        "one_with_256_slots": {"ours": ours, "atropos": theirs},
    }


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--environments", default="1,4,8,16", help="numbers of environments")
    options.add_argument("--trainers", default=",".join(TRAINERS), help=", ".join(TRAINERS))
    options.add_argument("--seconds", type=float, default=40.0, help="of each measurement")
    options.add_argument("--median", type=float, default=1.0, help="seconds of a completion")
    options.add_argument("--no-extras", action="store_true", help="no mixed fleets, no losses")
    given = options.parse_args()
    logging.disable(logging.CRITICAL)
    numbers = [int(word) for word in given.environments.split(",")]
    trainers = given.trainers.split(",")
    work = measure(numbers, trainers, given.seconds, given.median, not given.no_extras)
    print_json(asyncio.run(work))


if __name__ == "__main__":
    main()
