"""Finds the entry of rgenv.rollouts.descriptions.DESCRIPTIONS that explains a logged metric."""

import re

from rgenv.rollouts.descriptions import DESCRIPTIONS


def pattern_of(name: str) -> str | None:
    """Return the key of DESCRIPTIONS that matches the name of a metric; None if none does."""
    if name in DESCRIPTIONS:
        return name
    plain = re.sub("_(low|high)$", "", name)
    for pattern in DESCRIPTIONS:
        parts = re.split("<[^>]+>", pattern)
        if re.fullmatch("[^/]+".join(map(re.escape, parts)), plain):
            return pattern
    return None
