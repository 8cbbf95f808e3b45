"""Finds the row of docs/metrics.md that explains a logged metric."""

import re

from rgenv.task_names import KNOWN_TASKS
from tests.support.paths import ROOT

PAGE = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8")
DESCRIBED = re.findall(r"^\| `([a-z]+/[^`]+)` \|", PAGE, re.MULTILINE)
"""The metrics that have a row."""
COPIES = re.compile(rf"(category/[^/]+|level/[^/]+|{'|'.join(KNOWN_TASKS)})/")
"""What a metric of one task, category or level has in its name; the page tells of it once."""


def pattern_of(name: str) -> str | None:
    """Return the name in DESCRIBED that matches the name of a metric; None if none does."""
    plain = re.sub("_(low|high)$", "", name)
    for one in (plain, COPIES.sub("", plain, count=1)):
        for pattern in DESCRIBED:
            parts = re.split("<[^>]+>", pattern)
            if re.fullmatch("[^/]+".join(map(re.escape, parts)), one):
                return pattern
        if f"`{one}`" in PAGE or f"`{one.rpartition('/')[2]}`" in PAGE:
            return one  # named in the row of another metric
    return None
