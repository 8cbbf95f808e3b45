"""One run: an arm teaches a learner until the tokens are spent.

    result = train(arm_name, seed, gym=gym, tokens=tokens, model=model, size=Size())

The budget counts every completion token that training samples, those of dropped groups included,
and is exceeded by less than one batch. Evaluation and the oracle's probes are not counted.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from benchmarks.learning.arms import ARMS
from benchmarks.learning.arms.base import Arm, Plan, Setting
from benchmarks.learning.grpo import Group, Learner
from benchmarks.learning.model import Transformer, generate
from benchmarks.learning.problems import Asked, Course, held_out
from benchmarks.learning.tokens import END, Tokens
from rgenv import ReasoningGym
from rgenv.types import SOLVED

LIMIT = 24
"""The most tokens of a completion."""

REFILLS = 8
"""Batches that are drawn for one step, at most."""

EVALUATED_AT_ONCE = 256


@dataclass(frozen=True)
class Size:
    """What a run costs. The values are those of the measured runs; tests have smaller ones.

    Attributes:
        budget: completion tokens.
        groups, group: groups of a step, and completions of a group.
        checkpoints: evaluations after the first, equally spaced in tokens; the last is at the end.
        problems: held-out problems of each task and level, at checkpoints.
        last_problems: the same before and after the run, for the measures.
    """

    budget: int = 150_000
    groups: int = 16
    group: int = 8
    checkpoints: int = 10
    problems: int = 16
    last_problems: int = 64
    learning_rate: float = 2e-4


class Run:
    """A learner, its problems and the count of its tokens."""

    def __init__(
        self,
        seed: int,
        *,
        gym: ReasoningGym,
        tokens: Tokens,
        model: Transformer,
        tasks: Sequence[str],
        size: Size,
    ) -> None:
        self.size, self.tasks, self._seed = size, list(tasks), seed
        self._gym, self._tokens, self._model = gym, tokens, model
        self._learner = Learner(model, size.learning_rate)
        self._course = Course(gym, tokens, seed)
        self._held_out = held_out(gym, tokens, tasks, size.last_problems)
        self._sampling = torch.Generator().manual_seed(seed)
        self._probed = 0
        self.spent = self.steps = self.informative = 0
        self.asked: Counter[str] = Counter()
        self.levels: dict[str, float] = {}

    def batch(self, arm: Arm) -> None:
        """Take one step: sample, choose what to keep, learn, and tell the arm."""
        kept: list[Group] = []
        all_groups: list[Group] = []
        for _ in range(REFILLS):
            new = self._groups(arm.choose(self.size.groups - len(kept)))
            all_groups += new
            self.spent += sum(group.tokens for group in new)
            kept += arm.keep(new)
            if len(kept) >= self.size.groups or self.spent >= self.size.budget:
                break
        self._learner.step(kept)
        arm.observe(all_groups)
        self.steps += 1
        self.informative += sum(group.informative for group in all_groups)
        for group in all_groups:
            self.asked[group.problem.task] += 1
            if group.problem.level is not None:
                self.levels[group.problem.task] = group.problem.level

    def _groups(self, plans: Sequence[Plan]) -> list[Group]:
        asked = [self._course.next(task, level) for task, level in plans]
        size = self.size.group
        completions = self._sample(asked, size, self._sampling)
        scores = self._scores(asked, size, completions)
        return [
            Group(
                problem=problem,
                prompt=prompt,
                completions=(own := completions[n * size : (n + 1) * size]),
                rewards=scores[n * size : (n + 1) * size],
                cut=[completion[-1] != END for completion in own],
            )
            for n, (problem, prompt) in enumerate(asked)
        ]

    def _sample(self, asked: Sequence[Asked], group: int, rng: torch.Generator) -> list[list[int]]:
        prompts = [prompt for _, prompt in asked]
        return generate(self._model, prompts, group=group, limit=LIMIT, end=END, rng=rng)

    def _scores(
        self, asked: Sequence[Asked], group: int, completions: Sequence[Sequence[int]]
    ) -> list[float]:
        texts = [self._tokens.decode(completion) for completion in completions]
        return self._gym.score_many((asked[n // group][0], text) for n, text in enumerate(texts))

    def probe(self, plans: Sequence[Plan]) -> list[float]:
        """Return the share of eight completions of a new problem that is solved, for each plan."""
        self._probed += 1
        course = Course(self._gym, self._tokens, self._seed + 500 + self._probed)
        asked = [course.next(task, level) for task, level in plans]
        rng = torch.Generator().manual_seed(self._probed)
        scores = self._scores(asked, 8, self._sample(asked, 8, rng))
        return [sum(s >= SOLVED for s in scores[n * 8 : n * 8 + 8]) / 8 for n in range(len(asked))]

    def evaluate(self, problems: int) -> dict[str, list[float]]:
        """Return the accuracy at each level, for each task; sampled at temperature 1."""
        asked = [pair for pairs in self._held_out.values() for pair in pairs[:problems]]
        order = sorted(range(len(asked)), key=lambda n: len(asked[n][1]))
        rng = torch.Generator().manual_seed(self._seed)
        solved = [0.0] * len(asked)
        for start in range(0, len(order), EVALUATED_AT_ONCE):
            part = order[start : start + EVALUATED_AT_ONCE]
            some = [asked[n] for n in part]
            scores = self._scores(some, 1, self._sample(some, 1, rng))
            for n, score in zip(part, scores, strict=True):
                solved[n] = score >= SOLVED
        table: dict[str, list[float]] = {task: [] for task in self.tasks}
        for start, (task, _) in enumerate(self._held_out):
            part_of = solved[start * problems : (start + 1) * problems]
            table[task].append(round(sum(part_of) / problems, 4))
        return table


def train(
    name: str,
    seed: int,
    *,
    gym: ReasoningGym,
    tokens: Tokens,
    model: Transformer,
    tasks: Sequence[str],
    size: Size,
) -> dict[str, Any]:
    """Return the accuracies of a run at its checkpoints, and what it spent."""
    random.seed(seed)
    began, cpu = time.monotonic(), time.process_time()
    run = Run(seed, gym=gym, tokens=tokens, model=model, tasks=tasks, size=size)
    arm = ARMS[name](Setting(tasks=tasks, seed=seed, probe=run.probe))
    before = run.evaluate(size.last_problems)
    checkpoints = [{"tokens": 0, "accuracy": run.evaluate(size.problems)}]
    while run.spent < size.budget:
        run.batch(arm)
        due = size.budget * len(checkpoints) / size.checkpoints
        if due <= run.spent < size.budget:
            checkpoints.append({"tokens": run.spent, "accuracy": run.evaluate(size.problems)})
    checkpoints.append({"tokens": run.spent, "accuracy": run.evaluate(size.problems)})
    return {
        "before": before,
        "after": run.evaluate(size.last_problems),
        "tokens": run.spent,
        "steps": run.steps,
        "informative_groups": run.informative,
        "groups": dict(run.asked),
        "last_levels": run.levels,
        "checkpoints": checkpoints,
        "seconds": round(time.monotonic() - began, 1),
        "cpu_seconds": round(time.process_time() - cpu, 1),
    }
