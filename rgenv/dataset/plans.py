"""Plans: the task and the level of problem n, planned once, and of further attempts at it."""

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

from rgenv.dataset.difficulty import Difficulty
from rgenv.dataset.room import TRIES_OF_A_TASK, lowered
from rgenv.dataset.stream import Draw, Stream
from rgenv.types import Problem, is_level

Plan = tuple[str, float | None]
"""A task and a level of it."""

MOST_TURNS = 64
"""Tasks that are drawn for one problem until one is served; then it is the last one's turn."""

KEPT_PLANS = 1000
"""A plan is dropped once the newest is this far ahead: its problem was made long ago."""


class Plans:
    """Determines what is tried for each problem.

    What is learned after problem n was planned does not change its plan.
    """

    def __init__(self, stream: Stream, difficulty: Difficulty) -> None:
        self._stream = stream
        self._difficulty = difficulty
        self._plans: dict[int, Plan] = {}
        self._misses: list[Plan] = []

    def attempt(self, n: int, attempt: int) -> tuple[str, int, float | None]:
        """Return task, seed and level of an attempt at problem n.

        Attempts after the first one are at the problem that is judged now.
        """
        planned = self.of(n)
        task, level = self._next_attempt(n) if attempt else planned
        return task, self._stream.seed(n, attempt, task), level

    def of(self, n: int) -> Plan:
        if n not in self._plans:
            task, uniform = self._draw_task(n, 0)
            self._plans[n] = task, self._difficulty.level_for(task, uniform)
            self._plans.pop(n - KEPT_PLANS, None)
        return self._plans[n]

    def missed(self, problem: Problem) -> None:
        self._misses.append((problem.task, problem.level))

    def take_misses(self) -> Counter[Plan]:
        """Return what `missed` noted of the problem that was judged, and forget it."""
        tried, self._misses = Counter(self._misses), []
        return tried

    def drop(self, n: int) -> None:
        self._plans.pop(n, None)

    def state(self, first: int) -> dict[int, Plan]:
        return {n: plan for n, plan in self._plans.items() if n >= first}

    def load(self, state: Mapping[Any, Any]) -> None:
        self._plans = {int(n): (task, level) for n, (task, level) in state.items()}
        if not all(isinstance(task, str) and is_level(at) for task, at in self._plans.values()):
            raise ValueError("it plans something else than a task and a level")
        self._misses = []

    def _next_attempt(self, n: int) -> Plan:
        """Lower the level after prompts that were too long; below the lowest, draw another task."""
        turn, misses = divmod(len(self._misses), TRIES_OF_A_TASK)
        task, level = self._plans[n]
        if turn:
            task, uniform = self._draw_task(n, turn, without={task for task, _ in self._misses})
            level = self._difficulty.level_for(task, uniform)
        return task, lowered(level, misses)

    def _draw_task(self, n: int, turn: int, without: Collection[str] = ()) -> Draw:
        """Draw a task whose prompts leave room, if any is known."""
        drawn = self._stream.draw(n, turn)
        while turn < MOST_TURNS and (drawn.task in without or not self._serves(drawn.task)):
            turn += 1
            drawn = self._stream.draw(n, turn)
        return drawn

    def _serves(self, task: str) -> bool:
        return self._difficulty.room.serves(task)
