"""Filters for problems: repeated prompts, and frequent reference answers."""

import hashlib
from array import array
from collections import deque
from collections.abc import Mapping

from rgenv.stream.stream import MAX_ATTEMPTS

MAX_PROMPTS_A_TASK = 20_000

EXHAUSTED_AFTER = 3 * MAX_ATTEMPTS
"""A task counts as exhausted after this many known prompts in a row."""


class PromptFilter:
    """Remembers the served prompts of each task.

    The memory holds the last `MAX_PROMPTS_A_TASK` prompts of a task. A task that seems to have no
    new prompts is exhausted until a new one is added.
    """

    def __init__(self) -> None:
        self._known: dict[str, set[int]] = {}
        self._in_order: dict[str, array[int]] = {}  # the same, so that a state is made fast
        self._known_in_a_row: dict[str, int] = {}

    def has_served(self, task: str) -> bool:
        return task in self._known

    def is_repeated(self, task: str, prompt: int) -> bool:
        """Return whether a prompt is known, and its task not exhausted; count those in a row."""
        if prompt not in self._known.get(task, ()):
            return False
        known = min(self._known_in_a_row.get(task, 0) + 1, EXHAUSTED_AFTER)
        self._known_in_a_row[task] = known
        return known < EXHAUSTED_AFTER

    def add(self, task: str, prompt: int) -> None:
        """Remember a served prompt; idempotent."""
        known = self._known.setdefault(task, set())
        if prompt in known:
            return
        in_order = self._in_order.setdefault(task, array("Q"))
        self._known_in_a_row.pop(task, None)
        known.add(prompt)
        in_order.append(prompt)
        if len(known) > MAX_PROMPTS_A_TASK:
            known.discard(in_order.pop(0))

    def state(self) -> tuple[dict[str, bytes], dict[str, int]]:
        """Return the hashes in order, and the known prompts in a row, by task."""
        asked = {task: hashes.tobytes() for task, hashes in self._in_order.items()}
        return asked, dict(self._known_in_a_row)

    def load(self, asked: Mapping[str, bytes], known_in_a_row: Mapping[str, int]) -> None:
        self._in_order = {task: array("Q", hashes) for task, hashes in asked.items()}
        self._known = {task: set(hashes) for task, hashes in self._in_order.items()}
        self._known_in_a_row = dict(known_in_a_row)


WINDOW, MOST = 20, 11


class AnswerBalance:
    """Finds reference answers that would come more than `MOST` times in `WINDOW` problems."""

    def __init__(self) -> None:
        self._last: dict[str, deque[str]] = {}

    def is_frequent(self, task: str, answer: str | None) -> bool:
        """Return whether `answer` already came `MOST` times; False if there is no answer."""
        if answer is None or task not in self._last:
            return False
        return self._last[task].count(_digest(answer)) >= MOST

    def add(self, task: str, answer: str | None) -> None:
        if answer is not None:
            self._last.setdefault(task, deque(maxlen=WINDOW - 1)).append(_digest(answer))

    def state(self) -> dict[str, list[str]]:
        return {task: list(digests) for task, digests in self._last.items()}

    def load(self, state: Mapping[str, list[str]]) -> None:
        self._last = {task: deque(digests, maxlen=WINDOW - 1) for task, digests in state.items()}


def _digest(answer: str) -> str:
    """Return a short digest of an answer, which may be a whole board."""
    return hashlib.blake2b(answer.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
