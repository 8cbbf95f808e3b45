"""Finds the row of docs/metrics.md that explains a logged metric."""

import re

from tests.support.paths import ROOT

ROW = re.compile(r"\| `([a-z]+/[^`]+)` \| ([^|]*) \| ([^|]*) \|")


PAGE = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8")
DESCRIBED = {name: (text, formula) for name, text, formula in ROW.findall(PAGE)}
"""Metric -> its description and its formula."""


def pattern_of(name: str) -> str | None:
    """Return the name in DESCRIBED that matches the name of a metric; None if none does."""
    if name in DESCRIBED:
        return name
    plain = re.sub("_(low|high)$", "", name)
    for pattern in DESCRIBED:
        parts = re.split("<[^>]+>", pattern)
        if re.fullmatch("[^/]+".join(map(re.escape, parts)), plain):
            return pattern
    return None
