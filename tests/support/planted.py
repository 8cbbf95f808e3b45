"""A policy that does something else for each task, so that a profile has planted classes."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from demo.policy import Completion, overlong_text, user_message
from demo.rules import RULES

Write = Callable[[str | None, random.Random, int], Completion]
"""Returns a completion, from the right answer if it is known, and the token limit."""


def says(answer: str | None, share: float = 1.0, wrong: str = "nothing") -> Write:
    """Give an answer, or the right one for None, with a probability of `share`."""

    def write(right: str | None, rng: random.Random, _limit: int) -> Completion:
        given = answer or right or wrong
        text = given if rng.random() < share else wrong
        return Completion(f"<think>\nhm\n</think>\n<answer>{text}</answer>", "stop")

    return write


def without_tags(right: str | None, _rng: random.Random, _limit: int) -> Completion:
    return Completion(f"It is {right}.", "stop")


def without_end(_right: str | None, _rng: random.Random, limit: int) -> Completion:
    return Completion(overlong_text(limit), "length")


PLANTED: Mapping[str, tuple[str, Write]] = {
    "gcd": ("mastered", says(None)),
    "lcm": ("dead", says("no idea")),
    "chain_sum": ("learnable", says(None, 0.5)),
    "syllogism": ("guessable", says("Yes", 0.5, "No")),
    "spell_backward": ("broken format", without_tags),
    "number_sorting": ("too long", without_end),
}
"""Task -> what it is called, because of what the policy writes."""

CLASSES = {task: name for task, (name, _) in PLANTED.items()}

TRIAL = 16
"""The most tokens that a command asks for to try a server."""


class Planted:
    """A policy for `demo.policy_server`."""

    def __init__(self, after: Callable[[int], Any]) -> None:
        self._after = after
        self._calls: Counter[str] = Counter()
        self.asked = 0

    def complete(self, prompt_text: str, n: int, max_tokens: int) -> list[Completion]:
        """Write `n` completions for the task of a prompt."""
        question = user_message(prompt_text)
        task, right = task_and_answer(question)
        _, write = PLANTED[task]
        self._calls[prompt_text] += 1
        if max_tokens > TRIAL:
            self.asked += 1
            self._after(self.asked)
        rng = random.Random(f"{self._calls[prompt_text]} {question}")
        return [write(right, rng, max_tokens) for _ in range(n)]


def task_and_answer(question: str) -> tuple[str, str | None]:
    """Return the task of a question, and its right answer if a rule knows it."""
    for rule in RULES:
        if match := rule.pattern.search(question):
            return rule.task, rule.solve(*match.groups())
    return "syllogism", None
