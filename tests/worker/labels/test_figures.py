"""Impossible figures are discarded."""

from typing import Any

import pytest

from rgenv.tasks.geometry import simple_geometry
from rgenv.worker.levels import level_config
from rgenv.worker.problem_maker import corrected
from tests.support.library import make_entry


@pytest.mark.parametrize(
    ("angles", "exists"),
    [
        ("60.0°, 60.0°", True),
        ("117.0°, 20.0°, 76.0°, 140.0°, 134.0°", False),  # the last has 233 degrees
        ("90.0°, 50.0°, 40.0°", False),  # exactly 180
        ("90.0°, 50.0°, 40.1°", True),
        ("100.0°, 80.0°", False),  # exactly 0
        ("190.0°, 50.0°, 100.0°", False),
    ],
)
def test_only_convex_polygons_are_kept(angles: str, exists: bool) -> None:
    """Each angle, the last included, is between 0 and 180 degrees, both excluded."""
    entry: dict[str, Any] = {"question": f"A convex polygon has {angles}. Find the last angle."}
    assert simple_geometry.correct(entry) == (entry if exists else None)


@pytest.mark.parametrize("level", [0.0, 0.25, 0.5, 0.75, 1.0])
def test_most_polygons_of_a_level_exist(level: float) -> None:
    """At each level, at least two draws in five are possible."""
    config = level_config("simple_geometry", level)
    entries = [make_entry("simple_geometry", seed, config)[1] for seed in range(60)]
    assert sum(corrected("simple_geometry", entry) is not None for entry in entries) >= 24
