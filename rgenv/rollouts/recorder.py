"""GroupRecorder: updates metrics, curriculum, log, dumps and table with each scored group.

A dump is JSON lines, one group a line, a fixed number of groups a file, such as
``reasoning_gym_environment_rollouts_1f3a_0000.jsonl``. Once `RolloutDump.add` returns True, the
group survives kill -9. While the disk refuses, groups wait in memory.
"""

from __future__ import annotations

import contextlib
import json
import logging
import re
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from rgenv.rollouts.metrics import TrainMetrics
from rgenv.runtime.files import make_folder
from rgenv.runtime.json_lines import JsonLines, line_of
from rgenv.text import counted, level_name
from rgenv.types import SOLVED, Group, Problem, Verdict

log = logging.getLogger(__name__)

REMEMBERED_GROUPS = 256
"""Table rows of this many groups are kept; `table` removes those of its group."""

TABLE_COLUMNS = ("full_text", "score", "answer", "expected_answer", "task_name", "level")
TableRow = tuple[str, float, str, str, str, str]

Observe = Callable[[Problem, list[float], list[bool]], float | None]
"""Passes a group to the curriculum: its scores, and which completions were cut; returns the new
level of its task if it moved."""

SCHEMA = 1
"""Version of a row's `metadata`; the keys `item_id` and `rollouts` never change."""

NAME = "reasoning_gym_environment"
FILES = f"{NAME}_*rollouts_*.jsonl"
"""Pattern that matches every file that a dump writes."""

RETRY_SECONDS = 1.0
"""The least pause between two attempts to write to a disk that refuses."""


class GroupRecorder:
    """Records scored groups.

    Args:
        table_rows: number of rollouts of each group for the table; -1: all.
    """

    def __init__(
        self, metrics: TrainMetrics, observe: Observe, dumps: Dumps, *, table_rows: int = 0
    ) -> None:
        self.metrics, self.dumps = metrics, dumps
        self._observe, self._table_rows = observe, table_rows
        self._rows: dict[str, list[TableRow]] = {}
        self._seen_trouble: set[tuple[str, str]] = set()

    def record(self, group: Group) -> None:
        """Count, log and save one group, and pass it to the curriculum."""
        problem, scores = group.problem, group.scores
        self.metrics.group(group)
        if (level := self._observe(problem, *evidence(group))) is not None:
            log.debug("Curriculum: %s is at level %.2f now.", problem.task, level)
        log.debug("Task: %s | group average score: %.4f", problem.task, fmean(scores))
        self._log_trouble(group)
        if dump := self.dumps.of(scores):
            run, version = self.dumps.run_id, self.dumps.version
            dump.add(saved_row(group, run=run, reasoning_gym=version, time=round(time.time(), 3)))
        count = len(group.rollouts) if self._table_rows == -1 else self._table_rows
        if count:
            about = str(problem.answer), problem.task, level_name(problem.level)
            self._rows[group.group_id] = [
                (rollout.prompt + rollout.text, reward, rollout.answer or "", *about)
                for rollout, reward in zip(
                    group.rollouts[:count], group.rewards[:count], strict=True
                )
            ]
        if len(self._rows) > REMEMBERED_GROUPS:
            del self._rows[next(iter(self._rows))]

    def table(self, group_id: str) -> list[TableRow]:
        """Remove and return the table rows of a group, with the answers that were scored."""
        return self._rows.pop(group_id, [])

    def close(self) -> None:
        """Finish the files of the dumps; idempotent."""
        for dump in self.dumps.each:
            dump.close()

    def _log_trouble(self, group: Group) -> None:
        """Log the first verdict of each kind but "scored": of each task, or of any if none came.

        Every answer is logged for debugging.
        """
        problem = group.problem
        for rollout, verdict in zip(group.rollouts, group.verdicts, strict=True):
            is_missing = verdict.kind == "no_answer"
            trouble = "any task" if is_missing else problem.task, verdict.kind
            why = rollout.violation or verdict.detail
            log_answer(problem, rollout.answer or rollout.text, verdict, rollout.violation)
            if verdict.kind == "scored" or trouble in self._seen_trouble:
                continue
            self._seen_trouble.add(trouble)
            log.log(
                logging.INFO if is_missing else logging.WARNING,
                "First %r of %s (%s): recipe %s, answer %r",
                *(verdict.kind, problem.task, why or "empty answer", json.dumps(problem.recipe)),
                (rollout.answer or rollout.text)[:200],
            )


def evidence(group: Group) -> tuple[list[float], list[bool]]:
    """Return the scores that reflect the model, and for each whether its completion was cut."""
    reflecting = [
        (verdict.score, cut)
        for verdict, cut in zip(group.verdicts, group.truncated, strict=True)
        if verdict.reflects_model
    ]
    return [score for score, _ in reflecting], [cut for _, cut in reflecting]


def log_answer(problem: Problem, said: str, verdict: Verdict, violation: str | None) -> None:
    """Log an answer, or what was said instead, for debugging."""
    log.debug(
        "Answer to %s, seed %d, level %s: %r; raw %s, tagged %s (%s)",
        *(problem.task, problem.seed, level_name(problem.level), said[-200:]),
        *(verdict.raw, verdict.tagged, violation or verdict.detail or verdict.kind),
    )


def saved_row(group: Group, **about: Any) -> dict[str, Any]:
    """Return a group as a row of a dump: how to make its problem again, and why it has its scores.

    A missing text is an empty string: a column of None alone has no type. The recipe is there as
    JSON, too, because the library `datasets` gives the configs of all rows the same keys.
    """
    problem, rollouts = group.problem, group.rollouts
    return {
        "item_id": problem.task,
        "rollouts": [
            {"conversation": [dict(message) for message in one.messages], "score": float(reward)}
            for one, reward in zip(rollouts, group.rewards, strict=True)
        ],
        "metadata": {
            "schema": SCHEMA,
            "group_id": group.group_id,
            **problem.recipe,
            "recipe": problem.recipe,
            "recipe_json": json.dumps(problem.recipe),
            "source": problem.source,
            "answer": problem.answer or "",
            "opening": group.opening,
            "raw_scores": group.scores,
            "solved": [score >= SOLVED for score in group.scores],
            "extracted": [one.answer or "" for one in rollouts],
            "finish_reasons": [one.finish_reason for one in rollouts],
            "completion_tokens": [one.length for one in rollouts],
            "verdicts": group.kinds,
            **about,
        },
    }


@dataclass
class Dumps:
    """Where groups with a score above `threshold`, and failed groups, are saved; None: nowhere.

    Each row has the `version` of reasoning-gym and `run_id`, which the files' names have, too.
    """

    above_threshold: RolloutDump | None
    failed: RolloutDump | None
    threshold: float
    version: str
    run_id: str

    @property
    def each(self) -> list[RolloutDump]:
        return [dump for dump in (self.above_threshold, self.failed) if dump is not None]

    def catch_up(self) -> bool:
        """Write what waits for the disk, if it is time to try; return whether nothing waits."""
        return all([dump.catch_up() for dump in self.each])

    def of(self, scores: list[float]) -> RolloutDump | None:
        """Return the dump of a group with these scores, if it is saved."""
        if self.above_threshold is not None and max(scores) > self.threshold:
            return self.above_threshold
        return None if any(scores) else self.failed


class RolloutDump:
    """Appends rows to numbered batch files of one run; no two dumps share a file.

    Args:
        folder: created, for this user alone, when the first row is written.
        run_id, label: parts of every file name. Numbers continue after existing files of the run.
        batch_size: the most groups in a file.

    Attributes:
        lost: groups that the disk had not taken at the end, or that may not be on it.
    """

    def __init__(
        self, folder: Path, *, run_id: str, batch_size: int, label: str = "rollouts"
    ) -> None:
        self.run_id, self.lost = run_id, 0
        self._folder, self._label, self._batch_size = folder, label, batch_size
        self._file: JsonLines | None = None
        self._in_file = 0
        self._waiting: deque[bytes] = deque()
        self._retry_at = 0.0  # 0 while the disk takes what is written

    @property
    def held(self) -> int:
        """The number of groups that wait for the disk."""
        return len(self._waiting)

    def add(self, row: Mapping[str, Any]) -> bool:
        """Write one row, and return whether it and all rows before it are written."""
        self._waiting.append(line_of(row))
        return self.catch_up()

    def catch_up(self, *, is_last: bool = False) -> bool:
        """Write the rows that wait, if it is time to try; return whether all are written.

        A disk that refuses is logged and counted, not raised.
        """
        if not self._waiting or (time.monotonic() < self._retry_at and not is_last):
            return not self._waiting
        try:
            while self._waiting:
                if self._file is not None and self._file.is_gone:  # somebody has taken its groups
                    self._file.close()
                    self._file = None
                if self._file is None:
                    self._file, self._in_file = self._new_file(), 0
                self._file.write(self._waiting[0])
                self._waiting.popleft()
                self._in_file += 1
                log.debug("%s: %d groups in %s", self._label, self._in_file, self._file.path.name)
                if self._in_file >= self._batch_size:
                    self._finish_file()
        except OSError as error:
            if not self._retry_at:
                log.error(
                    "%s groups cannot be written to %s (%s), and no group is sent before: free "
                    "disk space or make the folder writable.",
                    *(self._label, self._folder, error),
                )
            self._retry_at = time.monotonic() + RETRY_SECONDS
            return False
        if self._retry_at:
            log.info("%s: %s is writable again.", self._label, self._folder)
        self._retry_at = 0.0
        return True

    def close(self) -> None:
        """Write waiting rows and finish the file; idempotent. `add` starts a new file."""
        self.catch_up(is_last=True)
        self._finish_file()
        self.lost += self.held
        self._waiting.clear()
        if self.lost:
            log.error("%s could not be saved.", counted(self.lost, f"{self._label} group"))

    def _new_file(self) -> JsonLines:
        """Create the file with the next number; other processes create some, too."""
        make_folder(self._folder)
        prefix = f"{NAME}_{self._label}_{self.run_id}"
        name = re.compile(re.escape(prefix) + r"_([0-9]{1,9})\.jsonl")
        numbers = [int(m[1]) for p in self._folder.iterdir() if (m := name.fullmatch(p.name))]
        number = max(numbers, default=-1) + 1
        while True:
            with contextlib.suppress(FileExistsError):
                return JsonLines(self._folder / f"{prefix}_{number:04d}.jsonl", new=True)
            number += 1

    def _finish_file(self) -> None:
        if self._file is None:
            return
        file, self._file = self._file, None
        try:
            file.sync()
            log.info("%s: saved %s to %s", self._label, counted(self._in_file, "group"), file.path)
        except OSError as error:
            self.lost += self._in_file
            log.error("%s groups may not be on disk (%s).", self._label, error)
        finally:
            file.close()
