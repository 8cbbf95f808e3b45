"""Days and times.

``01:00`` is not nearly right where 00:34 is asked for, and ``Wednesday`` not at all where Tuesday
is; the library pays 0.98 and 0.1 for them.

Not covered: other ways to write a time, unless the library knows them.
"""

from __future__ import annotations

import math
import re

from rgenv.worker.verifiers.shared import Entry, Library, asked, beyond_half

_TIME = re.compile(
    r"[-+]?\d{1,9}( days?)?|([-+]?\d{1,9} days?, )?\d{1,9}(:\d{1,9}){1,2}(\.\d{1,9})?"
)
_COUNTED = ("count_business_days", "count_days")


def time_intervals(answer: str, entry: Entry, library: Library) -> float:
    """What the library takes for right, with no text around it; it paid 0.7 for a constant."""
    shaped = _TIME.fullmatch(answer.strip())
    fields, right = (re.split("[:.]", text) for text in (answer.strip(), entry["answer"]))
    fits = len(fields[0]) <= max(2, len(right[0]))
    fits = fits and all(len(field) <= 2 for field in fields[1:2])  # 0:007 is no time
    return float(shaped is not None and fits and asked(library, answer) >= 1.0)


def calendar_arithmetic(answer: str, entry: Entry, library: Library) -> float:
    """Right or wrong, but for counts of days, of which a close one earns something. The library
    paid 0.14 for ``Wednesday``, and 1.0 for a count below a negative one."""
    right = str(entry["answer"])
    if entry["metadata"]["task"] not in _COUNTED:
        return float(answer.strip().casefold() == right.casefold())
    if not re.fullmatch(r"[-+]?\d{1,18}", answer.strip()):
        return 0.0
    error = abs(int(answer) - int(right))
    if not error or right == "0":
        return float(not error)
    return beyond_half(math.exp(-5 * error / abs(int(right))))
