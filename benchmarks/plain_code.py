"""Compare `ReasoningGym.score_many` in plain code with the worker pool; prints one JSON object.

    python benchmarks/plain_code.py [--task gcd] [--problems 1500] [--rounds 5] [--workers 2]

Both score the same completions: four of each problem, each extracted from a whole text. The pool
gets them from one event loop, 32 groups at a time, as a run of the environment does. The two take
turns, round by round, with their own workers. Prints:

    pool, score_many    completions scored per second, in the fastest round
    ratio               the median over the rounds of score_many's rate by the pool's
    json                the same as ratio, for score_many with recipes as JSON strings
    cpu_us              microseconds of this process, without the workers, for one completion;
                        other programs on the machine do not change them
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.harness import Json, parser, per_second, print_json
from rgenv import ReasoningGym
from rgenv.pool.pool import WorkerPool
from rgenv.rollouts.answer_format import extract_answer
from rgenv.runtime.background_loop import BackgroundLoop
from rgenv.types import Problem

GROUP, AT_ONCE = 4, 32


def main() -> None:
    """Print the comparison."""
    command = parser(__doc__)
    command.add_argument("--task", default="gcd")
    command.add_argument("--problems", type=int, default=1500)
    command.add_argument("--rounds", type=int, default=5)
    command.add_argument("--workers", type=int, default=2)
    options = command.parse_args()
    print_json(compare(options.task, options.problems, options.rounds, options.workers))


def compare(task: str, count: int, rounds: int, workers: int) -> Json:
    """Return the rates of both, and their ratio."""
    background = BackgroundLoop()
    pool = WorkerPool(workers=workers, spares=0)
    background.submit(pool.start()).result()
    rates: dict[str, list[float]] = {"pool": [], "score_many": [], "json": []}
    cpu: dict[str, list[float]] = {name: [] for name in rates}
    with ReasoningGym([task], workers=workers) as gym:
        problems = [gym.make(task, seed) for seed in range(count)]
        groups = [(problem, completions(problem)) for problem in problems]
        ways: dict[str, Callable[[], float]] = {
            "pool": lambda: GROUP * background.submit(pool_rate(pool, groups)).result(),
            "score_many": lambda: gym_rate(gym, groups, as_json=False),
            "json": lambda: gym_rate(gym, groups, as_json=True),
        }
        for _ in range(rounds):
            for name, measure in ways.items():
                began = time.process_time()
                rates[name].append(measure())
                cpu[name].append((time.process_time() - began) / (count * GROUP) * 1e6)
    background.submit(pool.close()).result()
    background.stop()

    def ratio(name: str) -> float:
        pairs = zip(rates[name], rates["pool"], strict=True)
        return round(statistics.median(ours / pools for ours, pools in pairs), 3)

    return {
        "completions": count * GROUP,
        "pool": round(max(rates["pool"])),
        "score_many": round(max(rates["score_many"])),
        "ratio": ratio("score_many"),
        "json": ratio("json"),
        "cpu_us": {name: round(statistics.median(times), 1) for name, times in cpu.items()},
    }


def completions(problem: Problem) -> list[str]:
    """Return a right completion, two wrong ones, and one without an answer."""
    return [
        f"<think>{answer}?</think><answer>{answer}</answer>"
        for answer in (problem.answer, "-1", "x")
    ] + ["No idea."]


async def pool_rate(pool: WorkerPool, groups: list[tuple[Problem, list[str]]]) -> float:
    """Return the groups that the pool scores per second."""

    async def score(group: tuple[Problem, list[str]]) -> None:
        problem, texts = group
        await pool.score(problem, [extract_answer(text) for text in texts])

    return await per_second(score, groups, AT_ONCE)


def gym_rate(gym: ReasoningGym, groups: list[tuple[Problem, list[str]]], *, as_json: bool) -> float:
    """Return the completions that `score_many` scores per second in one call."""
    pairs = [
        (json.dumps(problem.recipe) if as_json else problem, text)
        for problem, texts in groups
        for text in texts
    ]
    began = time.perf_counter()
    scores = gym.score_many(pairs)
    assert len(scores) == len(pairs)
    return len(pairs) / (time.perf_counter() - began)


if __name__ == "__main__":
    main()
