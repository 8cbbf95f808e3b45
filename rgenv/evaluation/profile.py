"""A profile: which tasks a model can learn from, and from which level.

A cell is a task at a level. Each has the same number of completions, and their shares decide what
it is called (docs/running.md). The files of a profile are its numbers and a configuration for
`serve`.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from rgenv.evaluation.estimates import share_interval
from rgenv.measured import beyond_blind, blind_share
from rgenv.rollouts.metrics import format_of
from rgenv.runtime.files import write_atomic
from rgenv.text import level_name, one_line, table
from rgenv.types import SOLVED, Sample

CONFIG, DATA = "profile.yaml", "profile.json"

Level = float | None

Verdict = Literal[
    "learnable", "mastered", "dead", "guessable", "broken format", "too long", "failed"
]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)

MEANINGS: Mapping[Verdict, str] = {
    "mastered": "right in nearly all groups, even at the highest level",
    "dead": "hardly ever right, even at the lowest level",
    "guessable": "no better than a blind guess, where there is an answer",
    "broken format": "most completions have no answer in the required format: look at the prompt's "
    "template, or train the format first",
    "too long": "most completions are cut: raise max_token_length and profile again",
    "failed": "problems, requests or verifiers failed: look at the log",
}
"""Verdict on a task that is left out -> what it means."""

LEAST_DEAD = 0.03
"""The share right below which a cell is dead, for large groups; smaller ones cost too much."""

GRID = [round(0.05 * step, 2) for step in range(21)]
"""Levels at which the curriculum may start."""


def dead_below(group_size: int) -> float:
    """Return the share right below which nearly three of four groups are all wrong."""
    return max(LEAST_DEAD, (1 - math.pow(0.5, 1 / max(2, group_size))) / 2)


@dataclass(frozen=True)
class Cell:
    """The completions of a task at a level."""

    verdict: Verdict
    blind: float  # share of the problems that the best blind policy solves
    trials: int  # completions whose score depends on the model alone
    right: int  # solved, and not cut at the token limit
    cut: int
    broken: int  # ended without an answer in the required format
    failed: int  # by request or verifier; they are not trials
    tokens: int
    share: float  # that is right, with its 95 % interval
    low: float
    high: float

    @classmethod
    def of(cls, task: str, level: Level, samples: Sequence[Sample], group_size: int) -> Cell:
        scored = [sample for sample in samples if "score" in sample]
        trials = [s for s in scored if s["verdict"] not in ("error", "timeout", "crashed")]
        cuts = [sample["finish_reason"] == "length" for sample in trials]
        rows, total = list(zip(trials, cuts, strict=True)), len(trials)
        right = sum(sample["score"] >= SOLVED and not cut for sample, cut in rows)
        broken = sum(format_of(s["verdict"], truncated=cut) == "broken" for s, cut in rows)
        share, blind, dead = right / max(1, total), blind_share(task, level), dead_below(group_size)
        low, high = share_interval(right, total)
        least, most = share_interval(right, total - sum(cuts) - broken)  # of those with an answer
        verdict: Verdict = "dead"
        if len(samples) >= 2 * total:
            verdict = "failed"
        elif share > 1 - dead:
            verdict = "mastered"
        elif share >= dead and least > blind:
            verdict = "learnable"
        elif broken > total / 2:
            verdict = "broken format"
        elif sum(cuts) > total / 2:
            verdict = "too long"
        elif share >= dead or (right and most >= blind > 0):
            verdict = "guessable"
        failed = len(samples) - total
        tokens = sum(sample["completion_tokens"] or 0 for sample in scored)
        counts = (total, right, sum(cuts), broken, failed, tokens)
        return cls(verdict, blind, *counts, share, low, high)


@dataclass(frozen=True)
class TaskProfile:
    """A task with its cells, in the order of their levels; it may start at any level if at None."""

    verdict: Verdict
    start_level: float | None
    cells: Mapping[Level, Cell]

    @classmethod
    def of(cls, cells: Mapping[Level, Cell], target: float) -> TaskProfile:
        """Sum up the cells.

        A task is learnable if it is at any level, or if it is mastered at one and hopeless at a
        higher one, because then it is learnable in between.
        """
        found = [cell.verdict for cell in cells.values()]
        verdict: Verdict = next((one for one in found if one != "mastered"), "mastered")
        if "learnable" in found or (found[0] == "mastered" and verdict not in (found[0], "failed")):
            verdict = "learnable"
        start = _start_level(cells, target) if verdict == "learnable" else None
        return cls(verdict, start, cells)


def _start_level(cells: Mapping[Level, Cell], target: float) -> float | None:
    """Return the highest level that is predicted to reach the target, beyond luck.

    Between the levels that were asked, the accuracy is interpolated. If none reaches the target,
    it is the lowest level that is worth training.
    """
    import numpy as np

    known = {x: c for x, c in cells.items() if x is not None and c.verdict != "failed"}
    if not known:
        return None
    reached = [beyond_blind(cell.share, blind=cell.blind) for cell in known.values()]
    for level in reversed(GRID):
        is_between = min(known) <= level <= max(known)
        if is_between and np.interp(level, list(known), reached) >= target - 1e-9:
            return level
    return next((x for x, cell in known.items() if cell.verdict == "learnable"), min(known))


@dataclass(frozen=True)
class Profile:
    about: Mapping[str, Any]
    tasks: Mapping[str, TaskProfile]
    group_size: int

    @classmethod
    def of(
        cls,
        about: Mapping[str, Any],
        cells: Mapping[tuple[str, Level], Sequence[Sample]],
        group_size: int,
        *,
        target: float,
    ) -> Profile:
        """Sum up the samples of cells in the order of their levels, for the curriculum's target."""
        tasks: dict[str, dict[Level, Cell]] = {}
        for (task, level), samples in cells.items():
            tasks.setdefault(task, {})[level] = Cell.of(task, level, samples, group_size)
        found = {task: TaskProfile.of(levels, target) for task, levels in tasks.items()}
        return cls(about, found, group_size)

    @property
    def by_verdict(self) -> dict[Verdict, list[str]]:
        """Verdict -> tasks, verdicts without any left out."""
        names: dict[Verdict, list[str]] = {verdict: [] for verdict in VERDICTS}
        for name, task in sorted(self.tasks.items()):
            names[task.verdict].append(name)
        return {verdict: some for verdict, some in names.items() if some}

    @property
    def trained(self) -> dict[str, TaskProfile]:
        return {name: task for name, task in self.tasks.items() if task.verdict == "learnable"}

    def as_json(self) -> dict[str, Any]:
        cells = [cell for task in self.tasks.values() for cell in task.cells.values()]
        return {
            "about": dict(self.about),
            "completions_per_cell": max(cell.trials + cell.failed for cell in cells),
            "group_size": self.group_size,
            "dead_below": dead_below(self.group_size),
            "completions_asked": sum(cell.trials + cell.failed for cell in cells),
            "tokens_used": sum(cell.tokens for cell in cells),
            "tasks": {
                name: {
                    "verdict": task.verdict,
                    "weight": float(name in self.trained),
                    "start_level": task.start_level,
                    "levels": {level_name(x): asdict(cell) for x, cell in task.cells.items()},
                }
                for name, task in self.tasks.items()
            },
        }


# Files and text


def write(
    folder: Path,
    profile: Profile,
    settings: Mapping[str, Any],
    servers: Sequence[Mapping[str, Any]],
) -> Path | None:
    """Write the files; return the path of the configuration, or None if nothing is to train."""
    date = time.strftime("%Y-%m-%d %H:%M")
    content = {"date": date, **profile.as_json()}
    write_atomic(folder / DATA, json.dumps(content, indent=1).encode())
    path = folder / CONFIG
    if not profile.trained:
        path.unlink(missing_ok=True)  # of another run of this command
        return None
    write_atomic(path, config_text(profile, settings, servers, date=date).encode())
    return path


def config_text(
    profile: Profile,
    settings: Mapping[str, Any],
    servers: Sequence[Mapping[str, Any]],
    *,
    date: str,
) -> str:
    """Return the configuration for `serve`, as YAML."""
    import yaml  # here, because it comes with Atropos

    tasks = profile.trained
    starts = {name: x for name, task in tasks.items() if (x := task.start_level) is not None}
    options = {
        **settings,
        "task_names": list(tasks),
        **({"complexity_mode": "curriculum", "start_levels": starts} if starts else {}),
    }
    content = {"env": options, **({"openai": list(servers)} if servers else {})}
    head = [
        f"# Written by `profile` on {date}, for the model {one_line(profile.about['model'], 200)}.",
        "# Another model, or the same one after some training, needs another profile.",
        f"# Train on {len(tasks)} of {len(profile.tasks)} tasks."
        + (" The others:" if len(tasks) < len(profile.tasks) else ""),
    ]
    for verdict, names in profile.by_verdict.items():
        if verdict != "learnable":
            head.append(f"# - {MEANINGS[verdict]}: {', '.join(names)}")
    return "\n".join([*head, "", yaml.safe_dump(content, sort_keys=False, allow_unicode=True)])


def printed(profile: Profile) -> str:
    """Return a table of the cells, and the numbers of tasks by verdict."""
    levels = level_order(x for task in profile.tasks.values() for x in task.cells)
    rows = []
    for verdict, names in profile.by_verdict.items():
        for name in names:
            task = profile.tasks[name]
            start = "" if task.start_level is None else f"{task.start_level:g}"
            rows.append((name, *(_shown(task.cells.get(x)) for x in levels), verdict, start))
    heads = ["defaults" if level is None else level_name(level) for level in levels]
    found = ", ".join(f"{len(names)} {verdict}" for verdict, names in profile.by_verdict.items())
    numbers = profile.as_json()
    return (
        f"{table(('task', *heads, 'verdict', 'start'), rows)}\n"
        "Each cell has its verdict and the share of right completions.\n\n"
        f"{found}. {numbers['completions_asked']:,} completions, {numbers['tokens_used']:,} tokens."
    )


def level_order(levels: Iterable[Level]) -> list[Level]:
    """Return each level once: the tasks' defaults first, then from easy to hard."""
    return sorted(set(levels), key=lambda level: -1.0 if level is None else level)


def _shown(cell: Cell | None) -> str:
    if cell is None:
        return ""
    return f"{cell.verdict}{f' {100 * cell.share:.0f}%' if cell.trials else ''}"
