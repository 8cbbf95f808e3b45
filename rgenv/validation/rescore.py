"""Score saved rollouts again, and compare the scores with the saved ones.

::

    report = await rescore(dump_files(["data_dumps"]), pool)
    print(report.summary)    # 40 groups, 320 rollouts: 100.00 % score as they were saved

Every problem is made again from its recipe, and every rollout is scored by the last message of its
conversation. The scores must equal the saved ones, and the saved reward must be one that may follow
from the scores of its group. A line that can't be read is reported by its number and does not
affect the others. Whether a conversation is the model's own is not checked.
"""

from __future__ import annotations

import glob
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rgenv.errors import BadUsage, DumpNotFound, MakeFailed
from rgenv.gym import recipes
from rgenv.pool.pool import WorkerPool
from rgenv.rollouts.answer_format import extract_answer
from rgenv.saved.lines import SavedGroup, mapping, read_line
from rgenv.storage.files import read_lines
from rgenv.types import Problem
from rgenv.validation.health import quoted

TOLERANCE = 1e-9
"""Scores that differ by no more than this are equal."""


class BadRow(ValueError):
    """A line that is no group that can be compared; the message says why."""


@dataclass(frozen=True)
class Disagreement:
    """A rollout that was saved with one score and gets another."""

    place: str
    task: str
    seed: int
    saved: float
    now: float
    note: str

    def __str__(self) -> str:
        return (
            f"{self.place}: {self.task}, seed {self.seed}: saved {self.saved:.4g}, "
            f"now {self.now:.4g} ({self.note})"
        )


@dataclass
class RescoreReport:
    """The results for all files.

    Attributes:
        errors: the lines that could not be compared, each with its place and the reason.
        changed: task -> its groups whose problems were made by another source of the library.
    """

    groups: int = 0
    rollouts: int = 0
    disagreements: list[Disagreement] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    changed: Counter[str] = field(default_factory=Counter)

    @property
    def agrees(self) -> bool:
        """Whether there was a rollout, every line was read and every score is the saved one."""
        return bool(self.rollouts) and not self.disagreements and not self.errors

    @property
    def summary(self) -> str:
        """The numbers of groups, rollouts, equal scores and errors in one line."""
        same = self.rollouts - len(self.disagreements)
        percent = f"{100 * same / self.rollouts:.2f} %" if self.rollouts else "none"
        bad = f"; {len(self.errors)} lines can't be compared" if self.errors else ""
        other = f"; {_other_sources(self.changed)}" if self.changed else ""
        return (
            f"{self.groups} groups, {self.rollouts} rollouts: {percent} score as they were "
            f"saved{bad}{other}"
        )


def _other_sources(changed: Mapping[str, int]) -> str:
    numbers = [f"{task} ({groups})" for task, groups in sorted(changed.items())]
    return f"groups from another source of reasoning-gym: {', '.join(numbers)}"


def dump_files(words: Sequence[str]) -> list[Path]:
    """Return the dump files that paths, folders and glob patterns name, each once and in order.

    Raises:
        DumpNotFound: a word names no file.
    """
    found: dict[Path, None] = {}
    for word in words:
        path = Path(word)
        if path.is_dir():
            paths = sorted(path.glob("*.jsonl"))
        else:
            paths = [path] if path.is_file() else [Path(name) for name in sorted(glob.glob(word))]
        if not paths:
            raise DumpNotFound(
                f"No rollout dump is at {word!r}: name a file, a folder or a pattern."
            )
        found |= dict.fromkeys(paths)
    return list(found)


async def rescore(
    paths: Sequence[Path], pool: WorkerPool, advance: Callable[[], None] = lambda: None
) -> RescoreReport:
    """Score every group of `paths` again.

    Args:
        advance: called once for each line.

    Raises:
        OSError: a file can't be read.
        PoolBroken: the pool can't replace its workers any more.
    """
    report = RescoreReport()
    for path in paths:
        for number, line in enumerate(read_lines(path, is_chosen=True), 1):
            place = f"{path}:{number}"
            try:
                await _rescore_group(place, read_group(place, line), pool, report)
            except (BadRow, BadUsage, MakeFailed) as error:
                report.errors.append(f"{place}: {error}")
            advance()
    return report


def read_group(place: str, line: bytes) -> SavedGroup:
    """Return the group of a line of a dump.

    Args:
        place: the path and number of the line.

    Raises:
        BadRow: it is none, or lacks what comparing needs.
    """
    group = read_line(line, place)
    if not isinstance(group, SavedGroup) or group.kind != "rollouts":
        raise BadRow("not a saved group: the line is torn, damaged or another one")
    for rollout in group.rollouts:
        last = mapping(rollout.conversation[-1]) if rollout.conversation else {}
        if last.get("role") != "assistant" or not isinstance(last.get("content"), str):
            raise BadRow("a conversation does not end with the model's message")
        if rollout.score is None or rollout.reward is None:
            raise BadRow("a rollout has no score")
    return group


async def _rescore_group(
    place: str, group: SavedGroup, pool: WorkerPool, report: RescoreReport
) -> None:
    recipe = recipes.read(group.recipe)
    problem = await pool.make(recipe.task, recipe.seed, level=recipe.level, config=recipe.config)
    if group.source not in ("", problem.source):
        report.changed[recipe.task] += 1
    asked = {rollout.question for rollout in group.rollouts}
    if not asked <= {None, problem.question, problem.prompt}:
        raise BadRow("its recipe makes another question than the saved one")
    answers = [extract_answer(rollout.whole) for rollout in group.rollouts]
    scores = [verdict.score for verdict in await pool.score(problem, answers)]
    report.groups += 1
    report.rollouts += len(scores)
    report.disagreements += _disagreements(place, group, problem, answers, scores)


def _disagreements(
    place: str,
    group: SavedGroup,
    problem: Problem,
    answers: Sequence[str | None],
    scores: Sequence[float],
) -> list[Disagreement]:
    """Return the rollouts whose saved score or reward is not what it should be."""
    found = []
    saved = [rollout.score or 0.0 for rollout in group.rollouts]
    for rollout, before, answer, now in zip(group.rollouts, saved, answers, scores, strict=True):
        reward = rollout.reward or 0.0
        if abs(now - before) > TOLERANCE:
            note = f"{rollout.verdict}; answer {quoted(answer or '')}"
            found.append(Disagreement(place, problem.task, problem.seed, before, now, note))
        # The length penalty only lowers a reward; that of a masked completion is the others' mean.
        elif not 0 <= reward <= max(saved) + TOLERANCE:
            note = "the reward does not follow from the scores of its group"
            found.append(Disagreement(place, problem.task, problem.seed, reward, now, note))
    return found
