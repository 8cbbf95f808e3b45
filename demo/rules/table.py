"""The table of rules: a pattern to recognise each task's questions, and a function to answer them.

The function takes the pattern's groups and returns the answer, all of them strings:

    @rule("gcd", r"Divisor \\(GCD\\) of these numbers: ([\\d, ]+)")
    def gcd(numbers: str) -> str: ...
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
    """Register the decorated function for questions that match `pattern`."""

    def register(solve: Solver) -> Solver:
        RULES.append(Rule(task, re.compile(pattern, re.MULTILINE), solve))
        return solve

    return register
