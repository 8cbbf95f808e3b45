"""Verifiers for days and counts of days.

``Wednesday`` is wrong where Tuesday is right; the library scores it 0.1.

Not here: times, which are right or wrong (exact.py).
"""

from __future__ import annotations

import math
import re

from rgenv.tasks.entry import Entry
from rgenv.worker.verifiers.shared import LibraryVerifier, credit_above_half, is_reference_answer

_COUNTS_DAYS = ("count_business_days", "count_days")


def calendar_arithmetic(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 for the right answer, and partial credit for a close count of days.

    The library gives ``Wednesday`` 0.14 on average. Where the right count is negative, it scores a
    smaller one above 1.0.
    """
    right = str(entry["answer"])
    if entry["metadata"]["task"] not in _COUNTS_DAYS:
        return float(is_reference_answer(answer, entry))
    if not re.fullmatch(r"-?(?:0|[1-9][0-9]{0,17})", answer.strip()):
        return 0.0
    error = abs(int(answer) - int(right))
    if not error or right == "0":
        return float(not error)
    return credit_above_half(math.exp(-5 * error / abs(int(right))))
