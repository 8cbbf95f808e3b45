"""Verifiers for days, dates and times.

``01:00`` is not nearly right where 00:34 is, and ``Wednesday`` is wrong where Tuesday is right. The
library scores them 0.98 and 0.1.

Not here: other ways to write a time, unless the library accepts them.
"""

from __future__ import annotations

import math
import re

from rgenv.worker.verifiers.shared import (
    Entry,
    LibraryVerifier,
    credit_above_half,
    library_score,
)

_TIME = re.compile(
    r"[-+]?\d{1,9}( days?)?|([-+]?\d{1,9} days?, )?\d{1,9}(:\d{1,9}){1,2}(\.\d{1,9})?"
)
_COUNTS_DAYS = ("count_business_days", "count_days")


def time_intervals(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 if the library gives 1.0 and the answer is nothing but a time.

    The library gives a constant answer 0.7 on average.
    """
    is_time = _TIME.fullmatch(answer.strip())
    fields, right = (re.split("[:.]", text) for text in (answer.strip(), entry["answer"]))
    fits = len(fields[0]) <= max(2, len(right[0]))
    fits = fits and all(len(field) <= 2 for field in fields[1:2])  # 0:007 is not a time
    return float(is_time is not None and fits and library_score(library, answer) >= 1.0)


def calendar_arithmetic(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 for the right answer, and partial credit for a close count of days.

    The library gives ``Wednesday`` 0.14 on average. Where the right count is negative, it scores a
    smaller one above 1.0.
    """
    right = str(entry["answer"])
    if entry["metadata"]["task"] not in _COUNTS_DAYS:
        return float(answer.strip().casefold() == right.casefold())
    if not re.fullmatch(r"[-+]?\d{1,18}", answer.strip()):
        return 0.0
    error = abs(int(answer) - int(right))
    if not error or right == "0":
        return float(not error)
    return credit_above_half(math.exp(-5 * error / abs(int(right))))
