"""What changes an answer takes and returns."""

from __future__ import annotations

import random
from collections.abc import Callable

Changes = dict[str, str]
"""Name of a change -> the wrong answer."""
Changer = Callable[[str, str, random.Random], Changes]
"""Takes a reference answer, the question and a source of randomness."""
STEPS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
