"""Measure what a blind policy solves: the best constant answer, or the best guess, by level.

A blind policy does not solve the problem. It always gives one answer, or picks one of a few
possible answers by a rule of tools/guesses.py. It asks the problems of training. The best
policy is the one whose worse half of the problems is best, so that an answer that comes twice by
chance does not count.

`python -m tools.measure --only blind` writes the shares of all tasks in half an hour.
"""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from itertools import chain

from rgenv.stream.filters import AnswerBalance
from rgenv.tasks import shortcuts
from rgenv.validation.answers import constant_answers
from rgenv.worker import selection
from rgenv.worker.levels import is_fixed, level_config
from rgenv.worker.problem_maker import Config, ProblemMaker
from tools import guesses

LEVELS = (None, 0.0, 0.25, 0.5, 0.75, 1.0)
PROBLEMS, FIRST_SEED, SECONDS = 400, 500_000, 60.0
"""Problems of a level, the first of their seeds, and how long drawing them may take."""

LEAST, FIRST_LOOK = 0.05, 40
"""Smaller shares count as 0. They end the measurement of a level after this many problems."""

JUDGED_CONSTANTS = 12
"""This many constants are given to the verifier."""


def measure_task(task: str) -> dict[str, float]:
    """Return level as JSON -> share of the problems that the best blind policy solves.

    Shares below LEAST count as 0; a task without any other has no levels.
    """
    maker = ProblemMaker(strict=True)
    levels = LEVELS[:1] if is_fixed(task) else LEVELS
    shares = {json.dumps(level): _measure(maker, task, level) for level in levels}
    return shares if any(shares.values()) else {}


def _measure(maker: ProblemMaker, task: str, level: float | None) -> float:
    seeds: list[int] = []
    config = {} if level is None else level_config(task, level)
    with (  # codeio's programs print, and write files
        contextlib.redirect_stdout(io.StringIO()),
        tempfile.TemporaryDirectory() as folder,
        contextlib.chdir(folder),
    ):
        for seed in _served(maker, task, level):
            seeds.append(seed)
            if len(seeds) == FIRST_LOOK and _best_share(maker, task, config, seeds) < LEAST:
                return 0.0
        share = _best_share(maker, task, config, seeds)
    return round(share, 3) if share >= LEAST else 0.0


def _best_share(maker: ProblemMaker, task: str, config: Config, seeds: list[int]) -> float:
    """Return the share that the policy solves which solves most of its worse half."""
    solved = _solved_by(maker, task, config, seeds)
    first, second = (Counter(chain.from_iterable(half)) for half in (solved[::2], solved[1::2]))
    both = first.keys() & second.keys()
    best = max(both, key=lambda name: (min(first[name], second[name]), name), default=None)
    return (first[best] + second[best]) / len(seeds) if best is not None else 0.0


def _solved_by(maker: ProblemMaker, task: str, config: Config, seeds: list[int]) -> list[set[str]]:
    problems = [maker.make(task, seed, config) for seed in seeds]
    answers = [made.entry["answer"] for made in problems]
    references = [str(answer) for answer in answers if answer is not None]
    constants = constant_answers(references)
    frequent = [text for text, _ in Counter(references).most_common(JUDGED_CONSTANTS)]
    judged = [*frequent, *constants[: JUDGED_CONSTANTS - len(frequent)]]
    solved = []
    for made in problems:
        entry, score = made.entry, made.score
        right = {
            name
            for name, answer in guesses.answers(task, entry).items()
            if shortcuts.is_right(answer, entry, score)
        }
        if entry["answer"] is not None:
            right.add(f"constant: {entry['answer']}")
        right |= {f"constant: {text}" for text in judged if shortcuts.is_right(text, entry, score)}
        solved.append(right)
    return solved


def _served(maker: ProblemMaker, task: str, level: float | None) -> Iterator[int]:
    """Yield the drawn seeds of problems, chosen as a worker and the stream choose them."""
    config = {} if level is None else level_config(task, level)
    balance = AnswerBalance()
    deadline = time.monotonic() + SECONDS
    found = 0
    for seed in range(FIRST_SEED, FIRST_SEED + 5 * PROBLEMS):
        if found == PROBLEMS or time.monotonic() > deadline:
            return
        try:
            made = selection.draw(maker, task, seed, config, level)
            winnable = made.winnable
        except Exception:  # the library's generators raise exceptions of any type
            continue
        answer = made.entry["answer"]
        if not winnable or (answer is not None and balance.is_frequent(task, str(answer))):
            continue
        if answer is not None:
            balance.add(task, str(answer))
        found += 1
        yield made.seed
