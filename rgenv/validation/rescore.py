"""Scores saved rollouts again: do the files say what the verifiers say today?

    report = await rescore(dump_files(["data_dumps"]), pool)
    print(report.summary)    # 40 groups, 320 rollouts: 100.00 % score as they were saved

Every row is remade from its recipe and every rollout scored by the last message of its
conversation; `metadata.raw_scores` must come out again, and the saved score with it where no length
penalty came in between. A prompt whose template opened ``<think>`` is not part of the message, so
an answer inside thinking that never closed looks like one outside: a group is read that way if
`metadata.extracted` fits all of its messages so, and does not fit them as they are. A line that
can't be read is an error with its number and costs nothing else.

Not covered: dumps without a recipe, which nothing can remake; whether the conversation is the
model's own.
"""

from __future__ import annotations

import glob
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rgenv.errors import MakeFailed, NoDump
from rgenv.rollouts.answer_format import extract_answer
from rgenv.rollouts.rewards import CORRECT
from rgenv.types import Verdict
from rgenv.validation.health import quoted
from rgenv.validation.probe import Judge

SAME = 1e-9


class BadRow(ValueError):
    """A line that is not a group; the message says what is missing."""


@dataclass(frozen=True)
class Row:
    """One group as it was saved."""

    place: str
    task: str
    seed: int
    config: Mapping[str, Any]
    questions: tuple[str | None, ...]
    answers: tuple[str, ...] = field(repr=False)
    raw_scores: tuple[float, ...]
    scores: tuple[float, ...]
    verdicts: tuple[str, ...]


@dataclass(frozen=True)
class Disagreement:
    """A rollout that was saved with one score and earns another."""

    place: str
    task: str
    seed: int
    stored: float
    now: float
    note: str

    def __str__(self) -> str:
        return (
            f"{self.place}: {self.task}, seed {self.seed}: saved {self.stored:.4g}, "
            f"now {self.now:.4g} ({self.note})"
        )


@dataclass
class Rescored:
    """What came of all the files; `errors` are lines that are no group, and why."""

    groups: int = 0
    rollouts: int = 0
    disagreements: list[Disagreement] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    @property
    def agrees(self) -> bool:
        """Whether there was something to score, and all of it came out as it was saved."""
        return bool(self.rollouts) and not self.disagreements and not self.errors

    @property
    def summary(self) -> str:
        """All of it in a line."""
        same = self.rollouts - len(self.disagreements)
        percent = f"{100 * same / self.rollouts:.2f} %" if self.rollouts else "none"
        bad = f"; {len(self.errors)} lines are no groups" if self.errors else ""
        return (
            f"{self.groups} groups, {self.rollouts} rollouts: {percent} score as they were "
            f"saved{bad}"
        )


def dump_files(words: Sequence[str]) -> list[Path]:
    """The files that names, folders and patterns stand for, in order and none twice.

    Raises:
        NoDump: a word stands for nothing.
    """
    found: dict[Path, None] = {}
    for word in words:
        path = Path(word)
        if path.is_dir():
            paths = sorted([*path.glob("*.jsonl"), *path.glob("*.jsonl.partial")])
        else:
            paths = [path] if path.is_file() else [Path(name) for name in sorted(glob.glob(word))]
        if not paths:
            raise NoDump(f"No rollout dump is at {word!r}: name a file, a folder or a pattern.")
        found |= dict.fromkeys(paths)
    return list(found)


async def rescore(
    paths: Sequence[Path], judge: Judge, tick: Callable[[], None] = lambda: None
) -> Rescored:
    """Score every row of `paths` again; `tick` is called for every line.

    Raises:
        OSError: a file can't be read.
    """
    report = Rescored()
    for path in paths:
        for place, line in _lines(path):
            try:
                await _rescore_row(read_row(place, line), judge, report)
            except (BadRow, MakeFailed) as error:
                report.errors.append(f"{place}: {error}")
            tick()
    return report


def _lines(path: Path) -> Iterator[tuple[str, bytes]]:
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            yield f"{path}:{number}", line


async def _rescore_row(row: Row, judge: Judge, report: Rescored) -> None:
    problem = await judge.make(row.task, row.seed, config=row.config)
    if any(question not in (None, problem.question) for question in row.questions):
        raise BadRow("its recipe makes another prompt than the one it was saved with")
    verdicts = await judge.score(problem, row.answers)
    report.groups += 1
    report.rollouts += len(verdicts)
    for index, verdict in enumerate(verdicts):
        found = _compare(row, index, verdict)
        if found is not None:
            report.disagreements.append(found)


def _compare(row: Row, index: int, verdict: Verdict) -> Disagreement | None:
    """What is wrong with one rollout's saved scores, if anything is."""
    raw, saved = row.raw_scores[index], row.scores[index]
    if abs(verdict.score - raw) > SAME:
        note = f"{row.verdicts[index]}, now {verdict.kind}; answer {quoted(row.answers[index])}"
        return Disagreement(row.place, row.task, row.seed, raw, verdict.score, note)
    if not _follows(saved, raw, row):
        note = "the saved score does not follow from the raw scores of its group"
        return Disagreement(row.place, row.task, row.seed, saved, verdict.score, note)
    return None


def _follows(saved: float, raw: float, row: Row) -> bool:
    """Whether a saved score is its raw one, less a penalty for length where all are right."""
    if all(score >= CORRECT for score in row.raw_scores):
        return 0 <= saved <= raw + SAME
    return abs(saved - raw) <= SAME


def read_row(place: str, line: bytes) -> Row:
    """One line of a dump.

    Raises:
        BadRow: it is torn, or lacks what remaking and comparing need.
    """
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        raise BadRow("no JSON: the line is torn or damaged") from None
    try:
        return _row(place, row)
    except BadRow:
        raise
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise BadRow(f"not a group with its recipe ({type(error).__name__}: {error})") from None


def _row(place: str, row: Any) -> Row:
    meta, rollouts = row["metadata"], row["rollouts"]
    number = len(rollouts)
    lists = [meta[name] for name in ("raw_scores", "extracted", "verdicts")]
    if any(len(values) != number for values in lists):
        raise BadRow(f"{number} rollouts beside {len(lists[0])} raw scores")
    conversations = [rollout["conversation"] for rollout in rollouts]
    return Row(
        place,
        str(meta["task"]),
        int(meta["seed"]),
        dict(meta["config"]),
        questions=tuple(map(_question, conversations)),
        answers=_answers([_text(talk) for talk in conversations], meta["extracted"]),
        raw_scores=tuple(map(float, meta["raw_scores"])),
        scores=tuple(float(rollout["score"]) for rollout in rollouts),
        verdicts=tuple(map(str, meta["verdicts"])),
    )


def _question(conversation: Sequence[Mapping[str, str]]) -> str | None:
    asked = [message["content"] for message in conversation if message["role"] == "user"]
    return asked[-1] if asked else None


def _text(conversation: Sequence[Mapping[str, str]]) -> str:
    last = conversation[-1] if conversation else {"role": "nobody"}
    if last["role"] != "assistant":
        raise BadRow("a conversation that does not end with the model's message")
    return last["content"]


def _answers(texts: Sequence[str], remembered: Sequence[str | None]) -> tuple[str, ...]:
    """The answers of the messages; as continuations of ``<think>`` if only that fits all of them.

    One prompt began them all. Read one by one, an answer outside any thinking and one that was
    never looked for would be the same. No answer is saved as an empty one; neither is ever right.
    """
    plain = tuple(extract_answer(text) or "" for text in texts)
    opened = tuple(extract_answer(f"<think>{text}") or "" for text in texts)
    saved = tuple(answer or "" for answer in remembered)
    return opened if opened == saved != plain else plain
