"""rgenv/export/report.py: what was left out."""

import pytest

from rgenv.export.choice import Rules
from rgenv.export.report import Report


@pytest.mark.parametrize(
    "reason",
    "samples;held out;unknown;filtered;no_texts;low;equal;again;copies;cut;failed;empty;changed;"
    "unfinished;foreign;too_long;unreadable".split(";"),
)
def test_each_reason_has_words(reason: str) -> None:
    """Its number is said, with thousands set apart."""
    report = Report(Rules(min_score=0.5))
    report.left_out[reason] = 1234
    assert report.summary.startswith("Left out: 1,234 ") and report.summary.endswith(".")
