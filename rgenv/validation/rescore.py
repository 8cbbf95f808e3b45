"""Score saved rollouts again, and compare the scores with the saved ones.

::

    report = await rescore(dump_files(["data_dumps"]), pool)
    print(report.summary)    # 40 groups, 320 rollouts: 100.00 % score as they were saved

Every problem is made again from its recipe, and every rollout is scored by the last message of its
conversation. The scores must equal the saved `metadata.raw_scores`. The saved reward must equal the
score, or follow from it by the length penalty if all completions of the group are correct.

Where the prompt opened ``<think>``, the tag is not part of the saved message, so an answer inside
thinking that was never closed looks like one outside. The messages of a group are therefore read
as continuations of ``<think>`` if that, and only that, reproduces `metadata.extracted`.

A line that can't be read is reported by its number and does not affect the others.

Not covered: dumps without recipes, and whether a conversation is the model's own.
"""

from __future__ import annotations

import glob
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rgenv.errors import DumpNotFound, MakeFailed
from rgenv.pool.pool import WorkerPool
from rgenv.rollouts.answer_format import extract_answer
from rgenv.rollouts.rewards import CORRECT
from rgenv.storage.files import parse_json, read_lines
from rgenv.text import describe
from rgenv.types import Verdict
from rgenv.validation.health import quoted

TOLERANCE = 1e-9
"""Scores that differ by no more than this are equal."""


class BadRow(ValueError):
    """A line that is not a group; the message says what is wrong with it."""


@dataclass(frozen=True)
class SavedGroup:
    """One line of a dump.

    Attributes:
        place: the path and number of the line.
        questions: the last user message of each conversation, which may end with a clarification;
            None if there is none.
        answers: the answer of each rollout, as extracted now; empty if there is none.
        scores: what the verifier gave each rollout.
        rewards: the scores after the length penalty.
        verdicts: the kind of each verdict.
        source: the hash of the library's source that made the problem; empty if it was not saved.
    """

    place: str
    task: str
    seed: int
    config: Mapping[str, Any]
    questions: tuple[str | None, ...]
    answers: tuple[str, ...] = field(repr=False)
    scores: tuple[float, ...]
    rewards: tuple[float, ...]
    verdicts: tuple[str, ...]
    source: str = ""


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
        for place, line in _lines(path):
            try:
                await _rescore_group(read_group(place, line), pool, report)
            except (BadRow, MakeFailed) as error:
                report.errors.append(f"{place}: {error}")
            advance()
    return report


def _lines(path: Path) -> Iterator[tuple[str, bytes]]:
    for number, line in enumerate(read_lines(path, is_chosen=True), 1):
        yield f"{path}:{number}", line


async def _rescore_group(group: SavedGroup, pool: WorkerPool, report: RescoreReport) -> None:
    problem = await pool.make(group.task, group.seed, config=group.config)
    if group.source not in ("", problem.source):
        report.changed[group.task] += 1
    if any(
        question not in (None, problem.question, problem.prompt) for question in group.questions
    ):
        raise BadRow("its recipe makes another question than the saved one")
    verdicts = await pool.score(problem, group.answers)
    report.groups += 1
    report.rollouts += len(verdicts)
    for index, verdict in enumerate(verdicts):
        disagreement = _compare(group, index, verdict)
        if disagreement is not None:
            report.disagreements.append(disagreement)


def _compare(group: SavedGroup, index: int, verdict: Verdict) -> Disagreement | None:
    """Compare the saved score and reward of one rollout with its verdict."""
    score, reward = group.scores[index], group.rewards[index]
    # A saved NaN passes this comparison and fails the next one.
    if abs(verdict.score - score) > TOLERANCE:
        answer = quoted(group.answers[index])
        note = f"{group.verdicts[index]}, now {verdict.kind}; answer {answer}"
        return Disagreement(group.place, group.task, group.seed, score, verdict.score, note)
    if not _follows(reward, score, group):
        note = "the saved score does not follow from the raw scores of its group"
        return Disagreement(group.place, group.task, group.seed, reward, verdict.score, note)
    return None


def _follows(reward: float, score: float, group: SavedGroup) -> bool:
    """Return whether `reward` is the score, less a length penalty in an all-correct group."""
    if all(score >= CORRECT for score in group.scores):
        return 0 <= reward <= score + TOLERANCE
    return abs(reward - score) <= TOLERANCE


def read_group(place: str, line: bytes) -> SavedGroup:
    """Parse one line of a dump.

    Args:
        place: the path and number of the line.

    Raises:
        BadRow: the line is torn, or lacks a key that remaking or comparing needs.
    """
    try:
        row = parse_json(line)
    except ValueError:
        raise BadRow("not JSON: the line is torn or damaged") from None
    try:
        return _group_of(place, row)
    except BadRow:
        raise
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise BadRow(f"not a group with its recipe ({describe(error)})") from None


def _group_of(place: str, row: Any) -> SavedGroup:
    metadata, rollouts = row["metadata"], row["rollouts"]
    for name in ("raw_scores", "extracted", "verdicts"):
        if len(metadata[name]) != len(rollouts):
            raise BadRow(f"{len(rollouts)} rollouts but {len(metadata[name])} {name}")
    conversations = [rollout["conversation"] for rollout in rollouts]
    completions = [_completion(messages) for messages in conversations]
    return SavedGroup(
        place,
        str(metadata["task"]),
        int(metadata["seed"]),
        dict(metadata["config"]),
        questions=tuple(map(_question, conversations)),
        answers=_extract_answers(completions, metadata["extracted"]),
        scores=tuple(map(float, metadata["raw_scores"])),
        rewards=tuple(float(rollout["score"]) for rollout in rollouts),
        verdicts=tuple(map(str, metadata["verdicts"])),
        source=str(metadata.get("source", "")),
    )


def _question(conversation: Sequence[Mapping[str, str]]) -> str | None:
    asked = [message["content"] for message in conversation if message["role"] == "user"]
    return asked[-1] if asked else None


def _completion(conversation: Sequence[Mapping[str, str]]) -> str:
    if not conversation or conversation[-1]["role"] != "assistant":
        raise BadRow("a conversation does not end with the model's message")
    return conversation[-1]["content"]


def _extract_answers(completions: Sequence[str], saved: Sequence[str | None]) -> tuple[str, ...]:
    """Return the answers of a group, each empty if there is none.

    The completions of a group share one prompt, so all of them or none continue ``<think>``. One
    completion alone can't show which: an answer outside any thinking looks like one inside thinking
    that was never closed. A saved None and a saved empty answer are equal: both score 0.
    """
    plain = tuple(extract_answer(text) or "" for text in completions)
    opened = tuple(extract_answer(f"<think>{text}") or "" for text in completions)
    expected = tuple(answer or "" for answer in saved)
    return opened if opened == expected != plain else plain
