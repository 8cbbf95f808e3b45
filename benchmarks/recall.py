"""Count right answers that are refused because of their form, and wrong ones that are paid.

    python benchmarks/recall.py [--items 2] [--quick] [--tasks TASK ...]

Problems of all tasks are made at the default parameters and at five levels. Right answers to them
are written in every form that a fair reader accepts, and wrong ones in the same forms
(rgenv/tasks/answers). A worker pool scores them. Prints one JSON object with

    recall        share of the right answers that score 1.0: in all, by form, task and level
    refusals      examples of the others, at most three for a task and form
    wrong         wrong answers: how many, how many of them score 1.0 (`paid`) or more than 0.0
                  (`credited`, by task), and examples of those that are paid
    skipped       problems that could not be made or have no known answer, by task

The exit code is 1 if a wrong answer is paid or the recall is less than 0.98.
"""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))


from benchmarks.harness import Json, parser, print_json
from rgenv.errors import MakeFailed
from rgenv.pool.pool import WorkerPool
from rgenv.task_names import COMPOSITE, KNOWN_TASKS
from rgenv.types import Problem, Verdict

LEVELS = (None, 0.0, 0.25, 0.5, 0.75, 1.0)
SOLVED = 0.99
"""The least score of a right answer."""
MIN_RECALL = 0.98
MAX_EXAMPLES = 3
"""Examples of one task and form."""
SHOWN = 200
"""Characters of an example."""
BATCH = 50
"""Answers that are scored in one request."""


@dataclass
class Share:
    """How many of something are right."""

    right: int = 0
    total: int = 0

    def count(self, is_right: bool) -> None:
        self.right += is_right
        self.total += 1

    def shown(self) -> list[float]:
        """Return the share, and the two numbers that it is made of."""
        return [round(self.right / max(self.total, 1), 4), self.right, self.total]


@dataclass
class Counts:
    """What was measured so far."""

    recall: dict[str, dict[str, Share]] = field(default_factory=dict)
    wrong: Counter[str] = field(default_factory=Counter)
    credited: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    refusals: dict[tuple[str, str], list[Json]] = field(default_factory=dict)
    paid: dict[tuple[str, str], list[Json]] = field(default_factory=dict)

    def count_right(self, problem: Problem, form: str, text: str, verdict: Verdict) -> None:
        """Count the verdict on a right answer."""
        is_right = verdict.score >= SOLVED
        level = "default" if problem.level is None else f"{problem.level:g}"
        keys = {"all": "all", "form": form, "task": problem.task, "level": level}
        for name, key in keys.items():
            self.recall.setdefault(name, {}).setdefault(key, Share()).count(is_right)
        if not is_right:
            _add_example(self.refusals, problem, form, text, verdict)

    def count_wrong(self, problem: Problem, form: str, text: str, verdict: Verdict) -> None:
        """Count the verdict on a wrong answer."""
        self.wrong["answers"] += 1
        self.wrong["paid"] += verdict.score >= SOLVED
        if verdict.score > 0.0:
            self.credited[problem.task] += 1
        if verdict.score >= SOLVED:
            _add_example(self.paid, problem, form, text, verdict)

    def report(self) -> Json:
        """Return everything as one JSON object, the lowest recall first."""
        recall = {
            name: {
                key: share.shown()
                for key, share in sorted(shares.items(), key=lambda pair: pair[1].shown()[0])
            }
            for name, shares in self.recall.items()
        }
        return {
            "recall": recall,
            "refusals": [example for found in self.refusals.values() for example in found],
            "wrong": {
                **self.wrong,
                "credited": dict(sorted(self.credited.items())),
                "examples": [example for found in self.paid.values() for example in found],
            },
            "skipped": dict(sorted(self.skipped.items())),
        }

    @property
    def is_good(self) -> bool:
        """Whether enough right answers and no wrong ones are paid."""
        everything = self.recall.get("all", {}).get("all", Share())
        return not self.wrong["paid"] and everything.shown()[0] >= MIN_RECALL


def _add_example(
    examples: dict[tuple[str, str], list[Json]],
    problem: Problem,
    form: str,
    text: str,
    verdict: Verdict,
) -> None:
    found = examples.setdefault((problem.task, form), [])
    if len(found) < MAX_EXAMPLES:
        found.append(
            {
                "task": problem.task,
                "level": problem.level,
                "seed": problem.seed,
                "form": form,
                "text": text[:SHOWN],
                "answer": (problem.answer or "")[:SHOWN],
                "score": round(verdict.score, 3),
                "kind": verdict.kind,
                "detail": verdict.detail[:SHOWN],
            }
        )


async def measure(
    tasks: Sequence[str], levels: Sequence[float | None], items: int, first_seed: int
) -> Counts:
    """Return the counts of `items` problems of each task and level."""
    counts = Counts()
    async with WorkerPool(workers=2) as pool:
        for task in tasks:
            problems = [(level, first_seed + n) for level in levels for n in range(items)]
            await asyncio.gather(
                *(_measure_one(pool, counts, task, level, seed) for level, seed in problems)
            )
            print(task, *counts.recall.get("task", {}).get(task, Share()).shown(), file=sys.stderr)
    return counts


async def _measure_one(
    pool: WorkerPool, counts: Counts, task: str, level: float | None, seed: int
) -> None:
    """Score the right and wrong answers to one problem."""
    try:
        problem = await pool.make(task, seed, level=level)
        answer = await pool.solve(problem) if problem.winnable else None
    except MakeFailed:
        answer = None
    if answer is None:
        counts.skipped[task] += 1
        return
    right = await pool.write(problem, answer)
    for form, text, verdict in await _score(pool, problem, right):
        counts.count_right(problem, form, text, verdict)
    wrong = await pool.write(problem, answer, wrong_by=f"{task} {level} {seed}")
    for form, text, verdict in await _score(pool, problem, wrong):
        counts.count_wrong(problem, form, text, verdict)


async def _score(
    pool: WorkerPool, problem: Problem, texts: Mapping[str, str]
) -> Iterator[tuple[str, str, Verdict]]:
    """Return the name, the text and the verdict of each answer."""
    answers = list(texts.values())
    batches = [answers[start : start + BATCH] for start in range(0, len(answers), BATCH)]
    verdicts = [verdict for batch in batches for verdict in await pool.score(problem, batch)]
    return zip(texts, answers, verdicts, strict=True)


def main() -> int:
    """Print the counts; return 0 if they are good enough."""
    options = parser(__doc__)
    options.add_argument("--tasks", nargs="+", metavar="TASK", help="default: all")
    options.add_argument("--items", type=int, default=2, help="problems of a task at a level")
    options.add_argument("--seed", type=int, default=0, help="the first seed")
    options.add_argument("--quick", action="store_true", help="one problem, default level only")
    chosen = options.parse_args()
    tasks = chosen.tasks or sorted(set(KNOWN_TASKS) - {COMPOSITE})
    levels, items = ((None,), 1) if chosen.quick else (LEVELS, chosen.items)
    counts = asyncio.run(measure(tasks, levels, items, chosen.seed))
    print_json(counts.report())
    return int(not counts.is_good)


if __name__ == "__main__":
    sys.exit(main())
