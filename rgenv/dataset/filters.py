"""Filters for problems: repeated prompts, and frequent reference answers.

::

    prompts = PromptFilter()
    prompts.judge("gcd", problem.prompt_hash)       # "new", "repeated", ...
    prompts.add("gcd", problem.prompt_hash)

    answers = AnswerBalance()
    answers.is_frequent("syllogism", "Yes")         # True after 11 of the last 19 problems
    answers.add("syllogism", "Yes")
"""

from __future__ import annotations

import base64
import hashlib
from array import array
from collections import deque
from collections.abc import Mapping
from typing import Any, Literal

from rgenv.dataset.stream import MAX_ATTEMPTS

MAX_PROMPTS_A_TASK = 20_000

EXHAUSTED_AFTER = 3 * MAX_ATTEMPTS
"""A task counts as exhausted after this many known prompts in a row."""

PromptStatus = Literal["new", "repeated", "exhausted"]


class PromptFilter:
    """Remembers the served prompts of each task.

    The memory holds the last `MAX_PROMPTS_A_TASK` prompts of a task. A task that seems to have no
    new prompts is exhausted until a new one is added.
    """

    def __init__(self) -> None:
        self._served: dict[str, dict[int, None]] = {}
        self._known_in_a_row: dict[str, int] = {}

    def judge(self, task: str, prompt: int) -> PromptStatus:
        """Classify a prompt by its hash, and count known prompts in a row.

        Returns:
            "new": not in memory; "repeated": in memory; "exhausted": in memory, as all prompts of
            the task seem to be.
        """
        if prompt not in self._served.get(task, ()):
            return "new"
        known = self._known_in_a_row.get(task, 0) + 1
        self._known_in_a_row[task] = min(known, EXHAUSTED_AFTER)
        return "exhausted" if known >= EXHAUSTED_AFTER else "repeated"

    def add(self, task: str, prompt: int) -> None:
        """Remember a served prompt; idempotent."""
        served = self._served.setdefault(task, {})
        if prompt in served:
            return
        self._known_in_a_row.pop(task, None)
        served[prompt] = None
        if len(served) > MAX_PROMPTS_A_TASK:
            del served[next(iter(served))]

    def state_dict(self) -> dict[str, Any]:
        """Return a JSON-able state: hashes in order, eight bytes each in base64, by task."""
        served = {
            task: base64.b64encode(array("Q", hashes).tobytes()).decode()
            for task, hashes in self._served.items()
        }
        return {"asked": served, "known_in_a_row": dict(self._known_in_a_row)}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Replace the memory."""
        self._served.clear()
        self._known_in_a_row = {task: int(n) for task, n in state["known_in_a_row"].items()}
        for task, text in state["asked"].items():
            hashes = array("Q")
            hashes.frombytes(base64.b64decode(text))
            self._served[task] = dict.fromkeys(hashes)


WINDOW, MOST = 20, 11


class AnswerBalance:
    """Finds reference answers that would come more than `MOST` times in `WINDOW` problems."""

    def __init__(self) -> None:
        self._last: dict[str, deque[str]] = {}

    def is_frequent(self, task: str, answer: str | None) -> bool:
        """Return whether `answer` already came `MOST` times; False if there is no answer."""
        return answer is not None and self._last.get(task, deque()).count(_digest(answer)) >= MOST

    def add(self, task: str, answer: str | None) -> None:
        """Remember the reference answer of a served problem."""
        if answer is not None:
            self._last.setdefault(task, deque(maxlen=WINDOW - 1)).append(_digest(answer))

    def state_dict(self) -> dict[str, list[str]]:
        """Return a JSON-able state: digests of the last answers, oldest first, by task."""
        return {task: list(digests) for task, digests in self._last.items()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Replace the memory."""
        self._last = {task: deque(digests, maxlen=WINDOW - 1) for task, digests in state.items()}


def _digest(answer: str) -> str:
    """Return a short digest of an answer, which may be a whole board."""
    return hashlib.blake2b(answer.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
