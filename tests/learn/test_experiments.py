"""Damaged rewards of the experiments."""

import pytest

pytest.importorskip("torch")

from examples.experiments.problems import Short
from examples.experiments.run import Arm, damaged


@pytest.mark.parametrize(
    ("damage", "percent", "text", "score", "rewards"),
    [
        ("one answer paid", 50, "0", 0.0, [1.0, 0.0]),
        ("one answer paid", 50, "3", 0.0, [0.0, 0.0]),
        ("some answers refused", 50, "a", 1.0, [0.0, 0.0]),
        ("some answers refused", 50, "c", 1.0, [1.0, 1.0]),
        ("random paid", 100, "x", 0.0, [1.0, 1.0]),
        ("random refused", 100, "x", 1.0, [0.0, 0.0]),
        ("none", 0, "x", 0.25, [0.25, 0.25]),
    ],
)
def test_damage(damage: str, percent: int, text: str, score: float, rewards: list[float]) -> None:
    train = [Short({}, [], [letter]) for letter in "abcd"]
    reward = damaged(Arm("damage", ("t",), damage=damage, percent=percent), train)
    assert [reward(place, text, score) for place in (49, 50)] == rewards
