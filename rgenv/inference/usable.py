"""Tell completions that a trainer can use from those that it can't.

One id outside the vocabulary ends a trainer's process, and one log probability that is none makes
all of its weights NaN.
"""

from __future__ import annotations

import math
import re
from typing import Any

ROUNDING = 1e-3
"""A log probability may be above 0 by this much, because engines round; the trainer gets 0."""

LOWEST = -1000.0
"""No token is sampled with so small a log probability, not even at a high temperature: its
probability is below what a double holds. Engines write such numbers for minus infinity."""

_REASON = re.compile(r"[a-z_]{1,32}")


def flaw(
    tokens: Any,
    logprobs: Any,
    finish_reason: Any,
    *,
    vocabulary: float = math.inf,
    most: float = math.inf,
) -> str:
    """Return why no trainer can use a completion of at most `most` tokens; empty if one can."""
    if not isinstance(tokens, list) or not isinstance(logprobs, list):
        return "no list of tokens"
    if not tokens:
        return "no token"
    if len(tokens) != len(logprobs):
        return f"{len(tokens)} tokens with {len(logprobs)} log probabilities"
    if len(tokens) > most:
        return f"{len(tokens)} tokens where at most {most} were asked for"
    if set(map(type, tokens)) != {int}:
        return "a token id that is no whole number"
    if min(tokens) < 0 or max(tokens) >= vocabulary:
        return "a token id outside the vocabulary"
    if not set(map(type, logprobs)) <= {int, float}:
        return "a log probability that is no number"
    if any(number != number for number in logprobs):
        return "a log probability that is NaN"
    if max(logprobs) > ROUNDING:
        return "a log probability above 0"
    if min(logprobs) < LOWEST:
        return f"a log probability below {LOWEST:g}"
    if not isinstance(finish_reason, str) or not _REASON.fullmatch(finish_reason):
        return "a finish_reason that is no word"
    return ""
