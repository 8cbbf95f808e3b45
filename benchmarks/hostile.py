"""What hostile answers cost, side by side in one run; prints one JSON object.

    python benchmarks/hostile.py [--groups 420] [--rounds 5]

The same stream of groups over all tasks is scored clean and with a share of hostile answers, in
turn, round by round. Beside it the same problems and clean answers go straight through
reasoning-gym in one process. Stalls are gaps in a heartbeat of 1 ms on the event loop, against
those of an idle loop.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from rgenv.errors import MakeFailed  # noqa: E402
from rgenv.pool.pool import WorkerPool  # noqa: E402
from rgenv.tasks import KNOWN_TASKS  # noqa: E402
from rgenv.types import Problem  # noqa: E402

T = TypeVar("T")
GROUP = 8
CONCURRENT_GROUPS = 32
HEARTBEAT = 0.001

DIRECT = """
import json, sys, time
import reasoning_gym

def score(dataset, entry, answers):
    for answer in answers:
        for form in (answer, f"<answer>{answer}</answer>"):
            try:
                dataset.score_answer(answer=form, entry=entry)
            except Exception:
                pass

work = json.load(sys.stdin)
reasoning_gym.create_dataset("gcd", size=1, seed=0)[0]
made, began = [], time.perf_counter()
for task, seed, answers in work:
    dataset = reasoning_gym.create_dataset(task, size=1, seed=seed)
    entry = dataset[0]
    made.append((dataset, entry, [entry["answer"] or "0", *answers]))
making, began = time.perf_counter() - began, time.perf_counter()
for dataset, entry, answers in made:
    score(dataset, entry, answers)
scoring = time.perf_counter() - began
print("\\n" + json.dumps([len(work) / scoring, len(work) / (making + scoring)]))
"""


@dataclass
class Heartbeat:
    """Gaps between the beats of a task that wants to run every millisecond."""

    gaps: list[float] = field(default_factory=list)

    async def beat(self) -> None:
        last = time.perf_counter()
        while True:
            await asyncio.sleep(HEARTBEAT)
            now = time.perf_counter()
            self.gaps.append(now - last - HEARTBEAT)
            last = now

    def report(self) -> dict[str, float]:
        gaps = sorted(self.gaps)
        return {
            "longest_ms": round(gaps[-1] * 1000, 2),
            "p999_ms": round(gaps[int(len(gaps) * 0.999) - 1] * 1000, 2),
        }


async def heartbeat_of(work: asyncio.Future | None, seconds: float = 3.0) -> dict[str, float]:
    """The heartbeat while `work` runs, or of an idle loop."""
    heart = Heartbeat()
    beating = asyncio.ensure_future(heart.beat())
    await (work if work is not None else asyncio.sleep(seconds))
    beating.cancel()
    return heart.report()


def hostile_texts() -> list[str]:
    texts = []
    for line in (ROOT / "tests" / "data" / "hostile.jsonl").read_text().splitlines():
        entry = json.loads(line)
        parts = entry.get("parts") or [[entry["answer"], 1]]
        texts.append("".join(text * times for text, times in parts))
    return texts


Recipe = tuple[str, int]


def recipes(count: int, first_seed: int) -> list[Recipe]:
    """`count` recipes over all tasks in turn."""
    tasks = sorted(set(KNOWN_TASKS) - {"composite"})
    return [(tasks[n % len(tasks)], first_seed + n // len(tasks)) for n in range(count)]


async def make_problems(pool: WorkerPool, wanted: list[Recipe]) -> list[Problem]:
    """The problems of `wanted`, those left out that can't be made in time."""
    made = await asyncio.gather(*(pool.make(*w) for w in wanted), return_exceptions=True)
    return [problem for problem in made if isinstance(problem, Problem)]


def wrong_answers(problems: list[Problem]) -> dict[str, list[str]]:
    """For each task the answers of other problems: of the right shape, and wrong."""
    by_task: dict[str, list[str]] = {}
    for problem in problems:
        by_task.setdefault(problem.task, []).append(problem.answer or "I do not know")
    rng = random.Random(1)
    return {task: rng.choices(answers, k=GROUP - 1) for task, answers in by_task.items()}


async def score_all(
    pool: WorkerPool, problems: list[Problem], groups: list[list[str]], kinds: Counter
) -> float:
    """Groups per second, so many at a time as a training run would have."""

    async def one(work: tuple[Problem, list[str]]) -> None:
        kinds.update(v.kind for v in await pool.score(*work))

    return await speed_of(one, list(zip(problems, groups, strict=True)))


async def speed_of(one: Callable[[T], Awaitable[None]], work: list[T]) -> float:
    """Pieces of work per second, `CONCURRENT_GROUPS` at a time."""
    rest = iter(work)

    async def runner() -> None:
        for piece in rest:
            await one(piece)

    began = time.perf_counter()
    await asyncio.gather(*(runner() for _ in range(CONCURRENT_GROUPS)))
    return len(work) / (time.perf_counter() - began)


async def make_and_score_all(
    pool: WorkerPool, wanted: list[Recipe], wrong: dict[str, list[str]]
) -> float:
    """Groups per second from recipe to verdicts."""

    async def one(recipe: Recipe) -> None:
        try:
            problem = await pool.make(*recipe)
        except MakeFailed:
            return
        await pool.score(problem, [problem.answer or "0", *wrong[problem.task]])

    return await speed_of(one, wanted)


def direct_speed(wanted: list[Recipe], wrong: dict[str, list[str]]) -> tuple[float, float]:
    """Groups per second of one process that calls reasoning-gym itself: scoring, and all of it."""
    work = [[task, seed, wrong[task]] for task, seed in wanted]
    run = subprocess.run(
        [sys.executable, "-c", DIRECT],
        input=json.dumps(work),
        text=True,
        stdout=subprocess.PIPE,
        check=True,
        env=os.environ | {"PYTHONHASHSEED": "0"},
    )
    scoring, whole = json.loads(run.stdout.splitlines()[-1])
    return scoring, whole


def orphans() -> int:
    """Worker processes that are still there."""
    found = 0
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        found += b"rgenv.worker" in words
    return found


def ratio(ours: list[float], theirs: list[float]) -> float:
    """The median over rounds of ours to theirs."""
    return round(statistics.median(a / b for a, b in zip(ours, theirs, strict=True)), 3)


async def measure(groups: int, rounds: int, share: float) -> dict:
    before, idle = orphans(), await heartbeat_of(None)
    speeds: dict[str, list[float]] = {}
    kinds: Counter[str] = Counter()

    def note(name: str, speed: float) -> None:
        speeds.setdefault(name, []).append(speed)

    async with WorkerPool(workers=2) as pool:
        problems = await make_problems(pool, recipes(groups, 1000))
        wrong = wrong_answers(problems)
        clean = [[problem.answer or "0", *wrong[problem.task]] for problem in problems]
        rng, texts = random.Random(2), hostile_texts()
        mixed = [[rng.choice(texts) if rng.random() < share else a for a in g] for g in clean]
        for number in range(rounds):
            fresh = recipes(groups, 2000 + 10 * number)
            note("clean", await score_all(pool, problems, clean, Counter()))
            note("hostile", await score_all(pool, problems, mixed, kinds))
            note("pool", await make_and_score_all(pool, fresh, wrong))
            scoring, whole = await asyncio.to_thread(direct_speed, fresh, wrong)
            note("direct_scoring", scoring)
            note("direct", whole)
            print(f"round {number + 1} of {rounds}", file=sys.stderr)
        killed = pool.restarts
        stalls = await heartbeat_of(
            asyncio.ensure_future(make_and_score_all(pool, recipes(2000, 5000), wrong))
        )
    return {
        "groups": len(problems),
        "answers_a_group": GROUP,
        "hostile_share": share,
        "groups_per_second": {n: round(statistics.median(s), 1) for n, s in speeds.items()},
        "hostile_to_clean": ratio(speeds["hostile"], speeds["clean"]),
        "pool_to_direct_scoring": ratio(speeds["clean"], speeds["direct_scoring"]),
        "pool_to_direct_make_and_score": ratio(speeds["pool"], speeds["direct"]),
        "idle_loop": idle,
        "loop_in_2000_items": stalls,
        "verdicts_of_hostile_stream": dict(kinds),
        "workers_killed": killed,
        "orphans": orphans() - before,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--groups", type=int, default=420, help="groups of a stream")
    parser.add_argument("--rounds", type=int, default=5, help="repetitions, side by side")
    parser.add_argument("--share", type=float, default=0.1, help="share of hostile answers")
    options = parser.parse_args()
    print(json.dumps(asyncio.run(measure(options.groups, options.rounds, options.share)), indent=2))


if __name__ == "__main__":
    main()
