"""Filters for problems: repeated prompts, and frequent reference answers."""

import base64
import hashlib
from array import array
from collections import deque
from collections.abc import Mapping
from typing import Any

from rgenv.dataset.stream import MAX_ATTEMPTS
from rgenv.types import read_count

MAX_PROMPTS_A_TASK = 20_000

EXHAUSTED_AFTER = 3 * MAX_ATTEMPTS
"""A task counts as exhausted after this many known prompts in a row."""


class PromptFilter:
    """Remembers the served prompts of each task.

    The memory holds the last `MAX_PROMPTS_A_TASK` prompts of a task. A task that seems to have no
    new prompts is exhausted until a new one is added.
    """

    def __init__(self) -> None:
        self._served: dict[str, dict[int, None]] = {}
        self._known_in_a_row: dict[str, int] = {}
        self._not_settled: dict[str, int] = {}

    def is_repeated(self, task: str, prompt: int) -> bool:
        """Return whether a prompt is known, and its task not exhausted; count known ones in a row.

        The counts become part of the state with `add` or `settle`, so a state that is saved between
        two attempts at one problem does not count the first attempt twice.
        """
        if prompt not in self._served.get(task, ()):
            return False
        known = self._not_settled.get(task, self._known_in_a_row.get(task, 0)) + 1
        self._not_settled[task] = min(known, EXHAUSTED_AFTER)
        return known < EXHAUSTED_AFTER

    def settle(self) -> None:
        """Keep the counts of the prompts that were judged, after the last attempt at a problem."""
        self._known_in_a_row |= self._not_settled
        self._not_settled.clear()

    def add(self, task: str, prompt: int) -> None:
        """Remember a served prompt; idempotent. Like `settle`, keep the counts."""
        self.settle()
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
        self._served.clear()
        self._known_in_a_row = {task: read_count(n) for task, n in state["known_in_a_row"].items()}
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
        digest = answer_digest(answer)
        return digest is not None and self._last.get(task, deque()).count(digest) >= MOST

    def add(self, task: str, answer: str | None) -> None:
        self.add_digest(task, answer_digest(answer))

    def add_digest(self, task: str, digest: str | None) -> None:
        if digest is not None:
            self._last.setdefault(task, deque(maxlen=WINDOW - 1)).append(digest)

    def state_dict(self) -> dict[str, list[str]]:
        return {task: list(digests) for task, digests in self._last.items()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self._last = {task: deque(digests, maxlen=WINDOW - 1) for task, digests in state.items()}


def answer_digest(answer: str | None) -> str | None:
    """Return a short digest of an answer, which may be a whole board; None if there is none."""
    if answer is None:
        return None
    return hashlib.blake2b(answer.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
