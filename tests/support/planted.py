"""A policy that does something else for each task, so that a profile has planted classes."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from demo.policy import Completion, Policy, user_message
from demo.rules import RULES

Faultless = partial(Policy, error_rate=0.0, format_error_rate=0.0, overlong_rate=0.0)


class Guessing(Policy):
    """Says Yes, whatever is asked."""

    def complete(self, prompt_text: str, n: int, max_tokens: int) -> list[Completion]:
        return [Completion("<answer>Yes</answer>", "stop")] * n


PLANTED: Mapping[str, tuple[str, Policy]] = {
    "gcd": ("mastered", Faultless()),
    "lcm": ("dead", Faultless(error_rate=1.0)),
    "chain_sum": ("learnable", Faultless(error_rate=0.5)),
    "syllogism": ("guessable", Guessing()),
    "spell_backward": ("broken format", Faultless(format_error_rate=1.0)),
    "number_sorting": ("too long", Faultless(overlong_rate=1.0)),
}
"""Task -> what it is called, because of what the policy writes."""

CLASSES = {task: name for task, (name, _) in PLANTED.items()}

TRIAL = 16
"""The most tokens that a command asks for to try a server."""


class Planted:
    """A policy for `demo.policy_server`."""

    def __init__(self, after: Callable[[int], Any]) -> None:
        self._after = after
        self.asked = 0

    def complete(self, prompt_text: str, n: int, max_tokens: int) -> list[Completion]:
        """Write `n` completions for the task of a prompt; the one without rules is syllogism."""
        if max_tokens > TRIAL:
            self.asked += 1
            self._after(self.asked)
        question = user_message(prompt_text)
        tasks = (rule.task for rule in RULES if rule.pattern.search(question))
        _, policy = PLANTED[next(tasks, "syllogism")]
        return policy.complete(prompt_text, n, max_tokens)
