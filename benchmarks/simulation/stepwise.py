"""The curriculum as it was until November 2026, for comparison.

The mean score of the last groups at the current level is compared with the target, and the level
moves by one step. Completions that were cut are no evidence, and a move discards what was known.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from rgenv.dataset.difficulty import START, Difficulty

STEP, MARGIN = 0.05, 0.1
MIN_GROUPS, MIN_SCORES = 4, 32
FEW_GROUPS, FEW_SCORES, FAR = 2, 16, 0.35
MAX_GROUPS = 16


class StepwiseCurriculum(Difficulty):
    """The old rule in the place of the new one."""

    def __init__(self, target_accuracy: float) -> None:
        super().__init__("curriculum", target_accuracy=target_accuracy)
        self._steps: dict[str, int] = {}
        self._evidence: dict[str, deque[tuple[float, int]]] = {}

    def current(self, task: str) -> float:
        """Return the level of a task."""
        return round(self._steps.get(task, round(START / STEP)) * STEP, 4)

    def observe(
        self,
        task: str,
        level: float | None,
        scores: Sequence[float],
        cut: Sequence[bool] | None = None,
    ) -> None:
        """Add a group, if it was made at the current level."""
        cuts = cut or [False] * len(scores)
        counted = [score for score, end in zip(scores, cuts, strict=True) if not end]
        if level != self.current(task) or not counted:
            return
        evidence = self._evidence.setdefault(task, deque(maxlen=MAX_GROUPS))
        evidence.append((sum(counted), len(counted)))
        count = sum(number for _, number in evidence)
        excess = sum(total for total, _ in evidence) / count - self._target
        enough = (
            len(evidence) == MAX_GROUPS
            or (len(evidence) >= MIN_GROUPS and count >= MIN_SCORES)
            or (len(evidence) >= FEW_GROUPS and count >= FEW_SCORES and abs(excess) > FAR)
        )
        if enough and abs(excess) > MARGIN:
            before = round(level / STEP)
            after = min(round(1 / STEP), max(0, before + (1 if excess > 0 else -1)))
            self._steps[task] = after
            if after != before:
                evidence.clear()
