"""Corrections for figures: only those that exist are kept.

Example::

    simple_geometry(entry)    # None for a "convex" polygon whose last angle is 395 degrees

Each public function is the correction of one task: it returns the entry, a corrected copy, or None
(see the package). It may raise on a question in another form.
"""

from __future__ import annotations

import re
from fractions import Fraction

from rgenv.tasks.entry import Entry


def simple_geometry(entry: Entry) -> Entry | None:
    """Return the entry; None if the polygon is not convex, though the question says so.

    Every interior angle of a convex polygon is between 0 and 180 degrees.
    """
    angles = [Fraction(angle) for angle in re.findall(r"([\d.]+)°", entry["question"])]
    last = 180 * (len(angles) - 1) - sum(angles)
    return entry if all(0 < angle < 180 for angle in (*angles, last)) else None
