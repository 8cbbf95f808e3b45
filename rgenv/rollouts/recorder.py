"""GroupRecorder: updates metrics, curriculum, log, dumps and table with each scored group."""

import json
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import fmean

from rgenv.rollouts.dump import RolloutDump, group_row
from rgenv.rollouts.group import evidence, row_metadata
from rgenv.rollouts.metrics import TrainMetrics
from rgenv.text import level_name
from rgenv.types import Group, Problem, Rollout, Verdict

log = logging.getLogger(__name__)

REMEMBERED_GROUPS = 256
"""Table rows of this many groups are kept; `table` removes those of its group."""

TABLE_COLUMNS = ("full_text", "score", "answer", "expected_answer", "task_name", "level")
TableRow = tuple[str, float, str, str, str, str]

Observe = Callable[[Problem, list[float], list[bool]], float | None]
"""Passes a group to the curriculum: its scores, and which completions were cut; returns the new
level of its task if it moved."""


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
        errors = sum(bool(v.detail) and v.kind in ("scored", "error") for v in group.verdicts)
        self.metrics.count("verifier_errors", errors)
        if (level := self._observe(problem, *evidence(group))) is not None:
            log.debug("Curriculum: %s is at level %.2f now.", problem.task, level)
        log.debug("Task: %s | group average score: %.4f", problem.task, fmean(scores))
        for rollout, verdict in zip(group.rollouts, group.verdicts, strict=True):
            self._log_verdict(rollout, verdict)
        if dump := self.dumps.of(scores):
            self._save(group, dump)
        self._remember_rows(group)

    def table(self, group_id: str) -> list[TableRow]:
        """Remove and return the table rows of a group, with the answers that were scored."""
        return self._rows.pop(group_id, [])

    def close(self) -> None:
        """Finish the files of the dumps; idempotent."""
        for dump in self.dumps.each:
            dump.close()

    def _log_verdict(self, rollout: Rollout, verdict: Verdict) -> None:
        """Log the first verdict of each kind but "scored": of each task, or of any if none came."""
        problem, is_missing = rollout.problem, verdict.kind == "no_answer"
        trouble = "any task" if is_missing else problem.task, verdict.kind
        if verdict.kind == "scored" or trouble in self._seen_trouble:
            return
        self._seen_trouble.add(trouble)
        log.log(
            logging.INFO if is_missing else logging.WARNING,
            "First %r of %s (%s): recipe %s, answer %r",
            verdict.kind,
            problem.task,
            rollout.violation or verdict.detail or "empty answer",
            json.dumps(problem.recipe),
            (rollout.answer or rollout.text)[:200],
        )

    def _save(self, group: Group, dump: RolloutDump) -> None:
        about = {"run": self.dumps.run_id, "reasoning_gym": self.dumps.version}
        conversations = [rollout.messages for rollout in group.rollouts]
        metadata = row_metadata(group) | about | {"time": round(time.time(), 3)}
        dump.add(group_row(group.problem.task, conversations, group.rewards, metadata=metadata))

    def _remember_rows(self, group: Group) -> None:
        count = len(group.rollouts) if self._table_rows == -1 else self._table_rows
        if not count:
            return
        problem = group.problem
        about = str(problem.answer), problem.task, level_name(problem.level)
        self._rows[group.group_id] = [
            (rollout.prompt + rollout.text, reward, rollout.answer or "", *about)
            for rollout, reward in zip(group.rollouts[:count], group.rewards[:count], strict=True)
        ]
        if len(self._rows) > REMEMBERED_GROUPS:
            del self._rows[next(iter(self._rows))]
