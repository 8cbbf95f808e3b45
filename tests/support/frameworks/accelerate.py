"""What the adapter to TRL imports of accelerate, for one process."""

import sys
from typing import Any

sys.modules[f"{__name__}.utils"] = sys.modules[__name__]


class PartialState:
    process_index = 0


def gather_object(mine: list[Any]) -> list[Any]:
    return mine
