"""rgenv/gym/recipes.py: what callers pass."""

from typing import Any

import numpy
import pytest

from rgenv.errors import BadUsage
from rgenv.gym import recipes


@pytest.mark.parametrize(
    ("recipe", "message"),
    [
        ("gcd", "'gcd' is not a recipe"),
        ({"task": "gcd"}, "is not a recipe: write"),
        ({"task": "gcd", "seed": 7, "lvl": 0.5}, "No recipe has a key 'lvl': leave it out"),
        ({"task": 3, "seed": 7}, "3 is not a task"),
        ({"task": "gcd", "seed": -1}, "seed is -1: it can't be negative"),
        ({"task": "gcd", "seed": 7.5}, "seed is 7.5: write a whole number"),
        ({"task": "gcd", "seed": 10**5000}, "seed has more than 60 digits"),
        ({"task": "gcd", "seed": 7, "level": 10**400}, "level is 1000"),
        ({"task": "gcd", "seed": 7, "config": {"x": 10**70}}, r"config\.x is 1000.*: write"),
        ({"task": "gcd", "seed": 7, "level": 2}, "level is 2: write a number from 0 to 1"),
        ({"task": "gcd", "seed": 7, "level": True}, "level is True"),
        ({"task": "gcd", "seed": 7, "config": [1]}, "write a mapping of parameters"),
        ({"task": "gcd", "seed": 7, "config": {"x": {1}}}, r"config\.x is \{1\}: write a finite"),
        ({"task": "gcd", "seed": 7, "config": {3: 4}}, "config has the key 3: names of parameters"),
        (
            '{"task": "gcd", "seed": 7, "config": {"x": %s}}' % ("[" * 900 + "]" * 900),
            "is nested too deeply: 16 levels are enough",
        ),
    ],
)
def test_what_is_no_recipe_is_refused(recipe: Any, message: str) -> None:
    with pytest.raises(BadUsage, match=message):
        recipes.read(recipe)


def test_numbers_and_levels_of_streams_are_checked() -> None:
    """A count is a whole number from 0 on; a stream's level may be a word, too."""
    words = ("random", None, 1, 0.3141)
    assert list(map(recipes.read_stream_level, words)) == ["random", None, 1, 0.314]
    for wrong in ("hard", -0.1, float("nan"), [0.5]):
        with pytest.raises(BadUsage, match="'random', 'curriculum', or None"):
            recipes.read_stream_level(wrong)
    with pytest.raises(BadUsage, match="n is -1: it can't be negative"):
        recipes.read_count(-1)


def test_cuts_are_true_or_false_in_a_list_or_an_array() -> None:
    for cuts in ([True, False], numpy.array([1, 0]), numpy.array([True, False])):
        assert recipes.read_cuts(cuts) == [True, False]
    wrong: Any
    for wrong in ("x", [0.5], [None], True, numpy.ones((2, 2)), ["True"]):
        with pytest.raises(BadUsage, match="write a list of True and False"):
            recipes.read_cuts(wrong)


def test_scores_are_numbers_in_a_list_or_an_array() -> None:
    for scores in ([1, 0.0], numpy.array([1.0, 0.0]), (numpy.float32(1), 0)):
        assert recipes.read_scores(scores) == [1.0, 0.0]
    wrong: list[Any] = [[], ["a"], ["1"], [float("nan")], [5.0], [-0.1], [10**400], 0.5, None]
    for scores in (*wrong, numpy.zeros((2, 2))):
        with pytest.raises(BadUsage, match=r"write .* from 0 to 1\."):
            recipes.read_scores(scores)
