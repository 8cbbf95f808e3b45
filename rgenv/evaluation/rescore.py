"""Score saved rollouts again, and compare the scores with the saved ones.

Every problem is made again from its recipe, and every rollout is scored by the last message of its
conversation. The scores must equal the saved ones. A line that can't be read is reported by its
number and does not affect the others.
"""

import contextlib
import glob
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rgenv.dialogue.reading import Reading
from rgenv.errors import BadUsage, MakeFailed
from rgenv.pool.pool import WorkerPool
from rgenv.rollouts.saved_lines import SavedGroup, read_line
from rgenv.runtime.json_lines import found_files, read_lines
from rgenv.runtime.parts import in_order
from rgenv.text import counted, one_line
from rgenv.types import Problem

MOST_SHOWN, MOST_QUOTED = 10, 60
"""The most errors, and disagreements, that a report names, and characters of an answer."""

TOLERANCE = 1e-9
"""Scores that differ by no more than this are equal."""


class BadRow(ValueError):
    """A line that is not a group; the message says what is wrong with it."""


@dataclass
class RescoreReport:
    """The results for all files."""

    groups: int = 0
    rollouts: int = 0
    unscored: int = 0  # lines of metrics and exports, groups of `process` and failed requests
    different: int = 0
    disagreements: list[str] = field(default_factory=list)  # the first of the different scores
    damaged: int = 0
    errors: list[str] = field(default_factory=list)  # of the first lines that can't be compared
    changed: Counter[str] = field(default_factory=Counter)  # task -> groups of another source

    @property
    def agrees(self) -> bool:
        """Whether there was a rollout, every line was read and every score is the saved one."""
        return bool(self.rollouts) and not self.different and not self.damaged

    @property
    def summary(self) -> str:
        """The numbers of groups, rollouts, equal scores and errors in one line."""
        same = self.rollouts - self.different
        percent = f"{100 * same / self.rollouts:.2f} %" if self.rollouts else "none"
        parts = [
            f"{counted(self.groups, 'group')}, {counted(self.rollouts, 'rollout')}: "
            f"{percent} score as they were saved"
        ]
        if self.unscored:
            none = "metrics, exports, groups of `process` or failed requests"
            parts.append(f"{counted(self.unscored, 'line has', 'lines have')} no scores: {none}")
        if self.damaged:
            parts.append(f"{counted(self.damaged, 'line')} can't be compared")
        if self.changed:
            numbers = [f"{task} ({groups})" for task, groups in sorted(self.changed.items())]
            parts.append(f"groups from another source of reasoning-gym: {', '.join(numbers)}")
        return "; ".join(parts)


def dump_files(words: Sequence[str]) -> list[Path]:
    """Return the dump files that paths, folders and glob patterns name, each once and in order."""
    found: dict[Path, None] = {}
    for word in words:
        path = Path(word)
        paths = found_files([path]) if path.exists() else map(Path, sorted(glob.glob(word)))
        new = dict.fromkeys(paths)
        if not new:
            raise BadUsage(f"No rollout dump is at {word!r}: name a file, a folder or a pattern.")
        found |= new
    return list(found)


async def rescore(
    paths: Sequence[Path],
    pool: WorkerPool,
    *,
    calls: int = 1,
    advance: Callable[[], None] = lambda: None,
) -> RescoreReport:
    """Score every group of `paths` again, `calls` at a time; `advance` is called for each line."""
    report = RescoreReport()

    async def compare(place: str, line: bytes) -> tuple[list[str], str]:
        try:
            return [f"{place}: {one}" for one in await _compare(line, pool, report)], ""
        except (BadRow, MakeFailed) as error:
            report.damaged += 1
            return [], f"{place}: {error}"

    works = (
        compare(f"{one_line(path)}:{number}", line)
        for path in paths
        for number, line in enumerate(read_lines(path), 1)
    )
    async with contextlib.aclosing(in_order(works, calls)) as done:
        async for disagreements, error in done:
            report.disagreements += disagreements[: MOST_SHOWN - len(report.disagreements)]
            report.errors += [error] if error and len(report.errors) < MOST_SHOWN else []
            advance()
    return report


async def _compare(line: bytes, pool: WorkerPool, report: RescoreReport) -> list[str]:
    """Score the group of a line, count it in `report`, and return which scores differ."""
    group = read_line(line, "")
    is_export = group is None and b'"recipe"' in line and b'"rollouts"' not in line
    if group is None and not is_export:
        raise BadRow("no saved group: the line is torn or damaged, or holds something else")
    if not isinstance(group, SavedGroup) or group.kind == "groups" or group.failure is not None:
        report.unscored += 1
        return []
    problem, reading = await _remade(group, pool)
    if group.source not in ("", problem.source):
        report.changed[problem.task] += 1
    answers = [reading.answer(rollout.whole) or "" for rollout in group.rollouts]
    verdicts = await pool.score(problem, answers)
    report.groups += 1
    report.rollouts += len(verdicts)
    found = [
        f"{problem.task}, seed {group.recipe['seed']}: saved {rollout.score:.4g}, "
        f"now {verdict.score:.4g} ({rollout.verdict}, now {verdict.kind}; "
        f"answer {one_line(repr(answer), MOST_QUOTED)})"
        for rollout, answer, verdict in zip(group.rollouts, answers, verdicts, strict=True)
        if rollout.score is not None and abs(verdict.score - rollout.score) > TOLERANCE
    ]
    report.different += len(found)
    return found


async def _remade(group: SavedGroup, pool: WorkerPool) -> tuple[Problem, Reading]:
    task, seed, config, problems = (
        group.recipe.get(name) for name in ("task", "seed", "config", "problems")
    )
    if not isinstance(task, str) or not isinstance(seed, int):
        raise BadRow("no recipe: its task or its seed is missing")
    for rollout in group.rollouts:
        if rollout.score is None:
            raise BadRow("a rollout has no score")
        last = rollout.conversation[-1] if rollout.conversation else {}
        if last.get("role") != "assistant" or not isinstance(last.get("content"), str):
            raise BadRow("a conversation does not end with the model's message")
    problem = await pool.make(task, seed, config=config, problems=problems)
    asked = (rollout.question for rollout in group.rollouts)
    if any(text is not None and problem.question not in text for text in asked):  # in a template
        raise BadRow("its recipe makes another question than the saved one")
    try:
        return problem, Reading.of_recipe(group.recipe)
    except ValueError as error:
        raise BadRow(f"its recipe names no format of answers: {error}") from None
