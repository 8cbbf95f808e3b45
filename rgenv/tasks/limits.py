"""Answers that would take a verifier too long."""

import re

from rgenv.tasks.record import Limit
from rgenv.tasks.safe_parse import bracket_depth


def max_digits(limit: int) -> Limit:
    """Refuse numbers that overflow a float or take long to convert."""
    run = re.compile(rf"[\d_]{{{limit},}}")

    def rule(answer: str) -> str | None:
        found = run.search(answer)
        return f"a number of {len(found[0])} digits" if found else None

    return rule


def max_depth(limit: int) -> Limit:
    """Refuse deep nesting, which verifiers process with recursive functions."""

    def rule(answer: str) -> str | None:
        return "brackets nested too deep" if bracket_depth(answer) > limit else None

    return rule


def bounded_int(digits: str) -> int:
    """Convert `digits`, or return 10**9 for anything longer: all limits are far smaller."""
    plain = digits.replace("_", "").lstrip("0")
    return int(plain or "0") if len(plain) < 10 else 10**9
