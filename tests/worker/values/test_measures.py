"""rgenv/worker/values/measures: durations and measures of triangles, rounded as they are shown."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rgenv.worker.values.measures import KINDS


def read_time(text: str, answer: str) -> bool:
    return KINDS["time_intervals"](text, {"answer": answer, "metadata": {}}) == answer


@given(st.integers(0, 10**6), st.integers(0, 23), st.integers(0, 59), st.integers(0, 59))
def test_a_duration_has_several_forms(days: int, hours: int, minutes: int, seconds: int) -> None:
    """The word day, the space after the comma and a zero in front of the hours say nothing."""
    clock = f"{minutes:02d}:{seconds:02d}"
    answer = f"{days} days, {hours:02d}:{clock}"
    for text in (f"{days} day, {hours:02d}:{clock}", f"{days} days,{hours}:{clock}"):
        assert read_time(text, answer)
    assert read_time(f"{days} days {hours:02d}:{clock}", answer)
    assert not read_time(f"{days + 1} days, {hours:02d}:{clock}", answer)
    assert not read_time(f"{days} days, {hours:02d}:{clock[:4]}{(seconds + 1) % 10}", answer)
    assert not read_time(f"{days} days", answer)
    assert not read_time(f"{hours:02d}:{clock}", answer)


@pytest.mark.parametrize(
    ("text", "answer", "same"),
    [
        ("14", "14 days", True),
        ("14 day", "14 days", True),
        ("14 Days", "14 days", True),
        ("15", "14 days", False),
        ("14 hours", "14 days", False),
        ("14:00", "14 days", False),
        ("2:11:20.603", "02:11:20.603", True),
        ("02:11:20.84", "02:11:20.840", True),
        ("02:11:20.084", "02:11:20.840", False),
        ("02:11:00", "02:11", True),
        ("002:11", "02:11", False),
        ("02:71", "03:11", False),
        ("2:11:20", "02:11:20.603", False),
        ("1 days, 24:00:00", "2 days, 00:00:00", False),
        ("10:06", "10:06", True),
        ("10 06", "10:06", False),
        ("-02:11", "02:11", False),
        ("5, 04:00", "5 days, 04:00", False),
        ("", "00:00", False),
        ("0:00", "00:00", True),
    ],
)
def test_durations_are_compared_by_length(text: str, answer: str, same: bool) -> None:
    """A duration is right in the parts that are asked for, and nowhere else."""
    assert read_time(text, answer) == same


TRIANGLE = {"A": ("-3", "1"), "B": ("-7", "-8"), "C": ("-3", "0")}


def read_measure(text: str, answer: str, kind: str, **metadata: Any) -> bool:
    entry = {"answer": answer, "metadata": {**TRIANGLE, **metadata, "task_type": kind}}
    return KINDS["advanced_geometry"](text, entry) == answer


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("2.60", True),  # the angle is 2.60256...°
        ("2.6°", True),
        ("2.603°", True),
        ("2.603^\\circ", True),
        ("2.603 degrees", True),
        ("2.602562°", True),
        ("2.602°", False),
        ("2.604°", False),
        ("2.61°", False),
        ("3°", False),
        ("-2.603°", False),
        ("2.603°, 2.603°", False),
        ("2.603 radians", False),
    ],
)
def test_an_angle_is_right_to_the_places_that_it_shows(text: str, same: bool) -> None:
    """Two decimal places are enough, as the reference answer has them; more have to be right."""
    assert read_measure(text, "2.60°", "angle_measure") == same


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("0.194", True),
        ("0.1940", False),
        ("0.19", False),
        ("0.195", False),
        ("0.193", False),
        ("0.2", False),
        ("0.194 or 1", False),
    ],
)
def test_a_radius_is_right_to_three_places(text: str, same: bool) -> None:
    """Three decimal places are asked for, so two are too few."""
    assert read_measure(text, "0.194", "incircle_radius") == same


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("(4.333, 0.98)", True),
        ("4.333,0.980", True),
        ("(13/3, 49/50)", True),
        ("\\left(\\frac{13}{3}, 0.98\\right)", True),
        ("(4.333, 0.98), 1", False),
        ("(4.333, 0.98, 1)", False),
        ("(4.33, 0.98)", False),
        ("(0.98, 4.333)", False),
        ("4.333 0.980", False),
        ("((4.333, 0.98))", False),
        ("(4.333)", False),
    ],
)
def test_a_point_has_two_right_coordinates(text: str, same: bool) -> None:
    """Coordinates are right to three places, or exact; the zeros at their ends may be missing."""
    right = {"ortho": ("13/3", "49/50")}
    assert read_measure(text, "(4.333, 0.980)", "orthocenter", **right) == same
    assert read_measure("(-0.000, 1)", "(-0.000, 1.000)", "orthocenter", ortho=("-1/9999", "1"))
