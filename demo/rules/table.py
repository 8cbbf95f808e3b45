"""The table of rules: one small function per task, found by a pattern in the question.

A rule's function gets the pattern's groups as strings and returns the answer as a string:

    @rule("gcd", r"Divisor \\(GCD\\) of these numbers: ([\\d, ]+)")
    def gcd(numbers: str) -> str: ...

The pattern is the rule's only way to recognise its task; nothing else tells it what is asked.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

Solver = Callable[..., str]


class Rule(NamedTuple):
    task: str
    pattern: re.Pattern[str]
    solve: Solver


RULES: list[Rule] = []


def rule(task: str, pattern: str) -> Callable[[Solver], Solver]:
    """Register the decorated function as the answer to questions that match `pattern`."""

    def register(solve: Solver) -> Solver:
        RULES.append(Rule(task, re.compile(pattern, re.MULTILINE), solve))
        return solve

    return register
