"""rgenv/stream/level_estimate.py: where a policy reaches a target."""

import math

import numpy as np
import pytest

from rgenv.stream.level_estimate import LevelEstimate


@pytest.mark.parametrize("value", [math.nan, math.inf, -1.0, 1e308, 0.0])
def test_a_damaged_state_is_refused(value: float) -> None:
    """Numbers that are no distribution would keep a task at its lowest level for ever."""
    found = LevelEstimate(target=0.7, start=0.4, spread=0.4)
    chances = np.frombuffer(found.state()).copy()
    chances[: chances.size // 2 if value else None] = value
    with pytest.raises(ValueError, match="no distribution"):
        found.load(chances.tobytes())
