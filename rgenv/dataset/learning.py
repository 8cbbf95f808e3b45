"""Learning: what groups and prompts show about tasks and levels, of this replica and of others."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Sequence

from rgenv.dataset.difficulty import Difficulty, right_answers
from rgenv.dataset.shared_evidence import Evidence, SharedEvidence
from rgenv.types import Problem

log = logging.getLogger(__name__)


class Learning:
    """Passes evidence to the difficulty and to other replicas, after it was recorded."""

    def __init__(self, difficulty: Difficulty, record: Callable[..., None]) -> None:
        self._difficulty = difficulty
        self._room = difficulty.room
        self._record = record
        self._shared: SharedEvidence | None = None
        self._received: deque[Evidence] = deque()

    def share(self, shared: SharedEvidence) -> None:
        self._shared = shared

    def group(self, problem: Problem, scores: Sequence[float], cut: Sequence[bool]) -> float | None:
        """Learn from one group; return the new level of its task if the curriculum moved."""
        right = sum(right_answers(scores, cut))
        group = Evidence(problem.task, problem.level, right, sum(cut), len(scores))
        if self._shared is not None and scores:
            self._shared.add(group)
        return self._learn(group, scores, cut)

    def prompts(self, task: str, level: float | None, *, fits: int, too_long: int) -> None:
        if self._shared is not None:
            counts = fits, too_long, fits + too_long
            self._shared.add(Evidence(task, level, *counts, limit=self._room.limit))
        self.count_prompts(task, level, fits, too_long)

    def unasked(self, problem: Problem) -> None:
        """Learn from a problem that could not be asked, because its prompt is too long."""
        task, level = problem.task, problem.level
        self._record("learned", *Evidence(task, level, 0, 1, 1, limit=self._room.limit))
        self.prompts(task, level, fits=0, too_long=1)

    async def poll(self) -> None:
        """Learn from what other replicas have sent, and let others work after each group.

        Cancelling this loses nothing: the next call goes on.
        """
        self._received.extend(self._shared.poll() if self._shared else [])
        while self._received:
            self.evidence(self._received.popleft())
            await asyncio.sleep(0)

    def evidence(self, evidence: Evidence) -> None:
        """Learn from evidence of another replica, or of this run before it was resumed."""
        task, level, right, cut, size, limit = evidence
        if limit is None:
            scores = [1.0] * right + [0.0] * (size - right)
            self._learn(evidence, scores, [False] * (size - cut) + [True] * cut)
        elif self._room.believes(limit):
            self._record("learned", *evidence)
            self.count_prompts(task, level, right, cut)

    def count_prompts(self, task: str, level: float | None, fits: int, too_long: int) -> None:
        """Count prompts for the room alone, and say if that was the end of a task."""
        served = self._room.serves(task)
        self._room.observe(task, level, fits=fits, too_long=too_long)
        if served and not self._room.serves(task):
            log.warning(
                "%s is asked no more: its prompts leave no room for an answer. Leave it out, or "
                "raise the limit.",
                task,
            )

    def _learn(self, group: Evidence, scores: Sequence[float], cut: Sequence[bool]) -> float | None:
        self._record("learned", *group)
        return self._difficulty.observe(group.task, group.level, scores, cut)
