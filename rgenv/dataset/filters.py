"""Which problems are not asked: repeated and held-out prompts, and labels that come too often.

::

    prompts = PromptFilter()
    prompts.keep_back("gcd", hashes)                # held out for evaluation
    prompts.judge("gcd", problem.prompt_hash)       # "fresh", "repeated", ...
    prompts.remember("gcd", problem.prompt_hash)

    labels = LabelBalance()
    labels.too_many("syllogism", "Yes")             # whether one more would be too many
    labels.served("syllogism", "Yes")
"""

from __future__ import annotations

import base64
import hashlib
from array import array
from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from rgenv.dataset.stream import MAX_ATTEMPTS

MAX_PROMPTS_A_TASK = 20_000

EXHAUSTED_AFTER = 3 * MAX_ATTEMPTS
"""A task that gave so many known prompts in a row has hardly any others."""


class PromptFilter:
    """Remembers, task by task, which prompts were asked and which must never be.

    Bounded: past `MAX_PROMPTS_A_TASK` the oldest are forgotten. Once a task is exhausted, known
    prompts pass, until a fresh one turns up.
    """

    def __init__(self) -> None:
        self._asked: dict[str, dict[int, None]] = {}
        self._known_in_a_row: dict[str, int] = {}
        self._kept_back: dict[str, frozenset[int]] = {}

    def keep_back(self, task: str, prompts: Iterable[int]) -> None:
        """Hashes of prompts that belong to evaluation."""
        self._kept_back[task] = frozenset(prompts)

    def judge(
        self, task: str, prompt: int
    ) -> Literal["fresh", "repeated", "inevitable", "kept back"]:
        """What asking this prompt would be; inevitable is a repetition where all are."""
        if prompt in self._kept_back.get(task, ()):
            return "kept back"
        if prompt not in self._asked.get(task, ()):
            return "fresh"
        known = self._known_in_a_row.get(task, 0) + 1
        self._known_in_a_row[task] = min(known, EXHAUSTED_AFTER)
        return "inevitable" if known >= EXHAUSTED_AFTER else "repeated"

    def remember(self, task: str, prompt: int) -> None:
        """It is asked now; where it was asked before, that changes nothing."""
        asked = self._asked.setdefault(task, {})
        if prompt in asked:
            return
        self._known_in_a_row.pop(task, None)
        asked[prompt] = None
        if len(asked) > MAX_PROMPTS_A_TASK:
            del asked[next(iter(asked))]

    def state_dict(self) -> dict[str, Any]:
        """JSON-able: for each task its hashes in order, eight bytes each, base64."""
        asked = {
            task: base64.b64encode(array("Q", asked).tobytes()).decode()
            for task, asked in self._asked.items()
        }
        return {"asked": asked, "known_in_a_row": dict(self._known_in_a_row)}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Remember what another instance did, and nothing else."""
        self._asked.clear()
        self._known_in_a_row = {task: int(n) for task, n in state["known_in_a_row"].items()}
        for task, text in state["asked"].items():
            hashes = array("Q")
            hashes.frombytes(base64.b64decode(text))
            self._asked[task] = dict.fromkeys(hashes)


WINDOW, MOST = 20, 11


class LabelBalance:
    """Remembers the last labels of every task."""

    def __init__(self) -> None:
        self._last: dict[str, deque[str]] = {}

    def too_many(self, task: str, answer: str | None) -> bool:
        """Whether this answer has had its share; False where the task keeps no answers."""
        return answer is not None and self._last.get(task, deque()).count(_label(answer)) >= MOST

    def served(self, task: str, answer: str | None) -> None:
        """An item with this answer is asked."""
        if answer is not None:
            self._last.setdefault(task, deque(maxlen=WINDOW - 1)).append(_label(answer))

    def state_dict(self) -> dict[str, list[str]]:
        """JSON-able: for each task its last labels, oldest first."""
        return {task: list(labels) for task, labels in self._last.items()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Remember what another instance did, and nothing else."""
        self._last = {task: deque(labels, maxlen=WINDOW - 1) for task, labels in state.items()}


def _label(answer: str) -> str:
    """Short: answers can be boards."""
    return hashlib.blake2b(answer.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
