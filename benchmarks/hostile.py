"""Measure the cost of hostile answers; prints one JSON object.

    python benchmarks/hostile.py [--groups 420] [--rounds 5] [--share 0.1]

In each round the same groups over all tasks are scored clean and with a share of hostile answers.
In the same round, fresh problems are made and scored by the pool and by reasoning-gym alone in one
process. Stalls are delays of a task that wakes every millisecond on the event loop, idle and busy.
"""

from __future__ import annotations

import asyncio
import json
import random
import statistics
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.harness import (
    ROOT,
    Json,
    parser,
    per_second,
    print_json,
    run_python,
    stalls_during,
)
from rgenv.errors import MakeFailed
from rgenv.pool.pool import WorkerPool
from rgenv.task_names import COMPOSITE, KNOWN_TASKS
from rgenv.types import Problem

GROUP_SIZE = 8
CONCURRENT_GROUPS = 32
IDLE_SECONDS = 3.0
DIRECT = ROOT / "benchmarks" / "speed" / "direct.py"

RecipeKey = tuple[str, int]
"""Task and seed; parameters are the task's defaults."""


async def measure(groups: int, rounds: int, share: float) -> Json:
    """Run all rounds and return speeds, ratios, stalls and verdicts.

    Args:
        share: the probability that an answer is replaced by a hostile one.
    """
    before, idle = worker_processes(), await stalls_during(asyncio.sleep(IDLE_SECONDS))
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
        busy = await stalls_during(make_and_score_all(pool, recipes(2000, 5000), wrong))
    return {
        "groups": len(problems),
        "answers_a_group": GROUP_SIZE,
        "hostile_share": share,
        "groups_per_second": {n: round(statistics.median(s), 1) for n, s in speeds.items()},
        "hostile_to_clean": ratio(speeds["hostile"], speeds["clean"]),
        "pool_to_direct_scoring": ratio(speeds["clean"], speeds["direct_scoring"]),
        "pool_to_direct_make_and_score": ratio(speeds["pool"], speeds["direct"]),
        "idle_loop": idle,
        "loop_in_2000_items": busy,
        "verdicts_of_hostile_stream": dict(kinds),
        "workers_killed": killed,
        "orphans": worker_processes() - before,
    }


def recipes(count: int, first_seed: int) -> list[RecipeKey]:
    """Return `count` recipes that go round all tasks."""
    tasks = sorted(set(KNOWN_TASKS) - {COMPOSITE})
    return [(tasks[n % len(tasks)], first_seed + n // len(tasks)) for n in range(count)]


async def make_problems(pool: WorkerPool, wanted: list[RecipeKey]) -> list[Problem]:
    """Make the problems of `wanted`, without those that can't be made in time."""
    made = await asyncio.gather(*(pool.make(*recipe) for recipe in wanted), return_exceptions=True)
    return [problem for problem in made if isinstance(problem, Problem)]


def wrong_answers(problems: list[Problem]) -> dict[str, list[str]]:
    """Return for each task seven reference answers of its problems: right in form, mostly wrong."""
    by_task: dict[str, list[str]] = {}
    for problem in problems:
        by_task.setdefault(problem.task, []).append(problem.answer or "I do not know")
    rng = random.Random(1)
    return {task: rng.choices(answers, k=GROUP_SIZE - 1) for task, answers in by_task.items()}


def hostile_texts() -> list[str]:
    """Return the hostile answers that the tests use."""
    texts = []
    for line in (ROOT / "tests" / "data" / "hostile.jsonl").read_text().splitlines():
        entry = json.loads(line)
        parts = entry.get("parts") or [[entry["answer"], 1]]
        texts.append("".join(text * times for text, times in parts))
    return texts


async def score_all(
    pool: WorkerPool, problems: list[Problem], groups: list[list[str]], kinds: Counter[str]
) -> float:
    """Score a group of answers for each problem; return groups per second.

    Args:
        kinds: counts the kinds of the verdicts.
    """

    async def score(work: tuple[Problem, list[str]]) -> None:
        kinds.update(verdict.kind for verdict in await pool.score(*work))

    return await per_second(score, zip(problems, groups, strict=True), CONCURRENT_GROUPS)


async def make_and_score_all(
    pool: WorkerPool, wanted: list[RecipeKey], wrong: dict[str, list[str]]
) -> float:
    """Make each problem and score a group of answers for it; return groups per second."""

    async def make_and_score(recipe: RecipeKey) -> None:
        try:
            problem = await pool.make(*recipe)
        except MakeFailed:
            return
        await pool.score(problem, [problem.answer or "0", *wrong[problem.task]])

    return await per_second(make_and_score, wanted, CONCURRENT_GROUPS)


def direct_speed(wanted: list[RecipeKey], wrong: dict[str, list[str]]) -> tuple[float, float]:
    """Do the same with reasoning-gym alone, in one process.

    Returns:
        Groups per second of scoring, and of making and scoring.
    """
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as plan:
        for task, seed in wanted:
            line = {"task": task, "seed": seed, "config": {}, "answers": [None, *wrong[task]]}
            plan.write(json.dumps(line) + "\n")
        plan.flush()
        result = run_python([str(DIRECT), plan.name], {"PYTHONHASHSEED": "0"})
    return len(wanted) / result["scoring_seconds"], result["groups_per_second"]


def worker_processes() -> int:
    """Return how many processes on this machine run as scoring workers."""
    found = 0
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:  # the process has just ended
            continue
        found += b"rgenv.worker" in words
    return found


def ratio(ours: list[float], theirs: list[float]) -> float:
    """Return the median over rounds of ours divided by theirs."""
    return round(statistics.median(a / b for a, b in zip(ours, theirs, strict=True)), 3)


def main() -> None:
    command_line = parser(__doc__)
    command_line.add_argument("--groups", type=int, default=420, help="groups of a stream")
    command_line.add_argument("--rounds", type=int, default=5, help="repetitions, side by side")
    command_line.add_argument("--share", type=float, default=0.1, help="share of hostile answers")
    options = command_line.parse_args()
    print_json(asyncio.run(measure(options.groups, options.rounds, options.share)))


if __name__ == "__main__":
    main()
