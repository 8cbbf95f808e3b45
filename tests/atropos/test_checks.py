"""rgenv/atropos/checks.py: checks of the values of single options."""

import math
from datetime import date
from typing import Any

import pytest

from rgenv.atropos.checks import CHECKS
from rgenv.atropos.config import ReasoningGymEnvConfig
from rgenv.gym.settings import between


def test_every_check_belongs_to_an_option() -> None:
    """The names are those of the configuration, and its own defaults pass."""
    defaults = ReasoningGymEnvConfig()
    for name, check in CHECKS.items():
        if (value := getattr(defaults, name)) is not None:
            check(value)


@pytest.mark.parametrize("value", [1, 2, -1, 9])
def test_a_number_may_have_a_value_with_a_meaning_of_its_own(value: float) -> None:
    """Values within the bounds and the special one pass."""
    between(1, 9, special=-1)(value)


@pytest.mark.parametrize("value", [0, -2, 10, math.inf, math.nan])
def test_numbers_outside_are_refused(value: float) -> None:
    """The message names the bounds and the special value."""
    with pytest.raises(ValueError, match=f"must be from 1 to 9, or -1, not {value:g}"):
        between(1, 9, special=-1)(value)
    with pytest.raises(ValueError, match=f"must be from 1 to 9, not {value:g}"):
        between(1, 9)(value)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("min_batch_allocation", 0, "share of the batch"),
        ("reasoning_effort", "maximal", "one of high, low"),
        ("tokenizer_name", " ", "is empty"),
        ("rollout_server_url", "localhost:8000", "write http://HOST:PORT"),
        ("eval_request", {"model": "m"}, "model is set by the environment"),
        ("random_level_range", (0.5, 1.5), "two rising numbers"),
        ("start_levels", {"gcd": math.nan}, "that of 'gcd' is nan"),
        ("task_weights", {"gcd": math.nan}, "exclude 'gcd' instead"),
        ("task_configs", {"gcd": {"min_value": math.nan}}, "gcd.min_value is nan: write a finite"),
        ("task_configs", {"gcd": {"min_value": date(2020, 1, 1)}}, "datetime.date.*: write a fin"),
    ],
)
def test_a_wrong_value_is_explained(name: str, value: Any, message: str) -> None:
    """The message follows the name of the option."""
    with pytest.raises(ValueError, match=message):
        CHECKS[name](value)
