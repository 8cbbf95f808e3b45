"""benchmarks/tells.py: its labels, and what it measures."""

from typing import Any

import pytest

from benchmarks.tells import label_of, measure, parse_options
from rgenv.validation.tells import labels_in_use
from rgenv.worker.problem_maker import ProblemMaker


@pytest.mark.parametrize(
    ("answers", "labels"),
    [([], 0), (["a"] * 9 + ["b"], 1), (["a"] * 8 + ["b", "c"], 2), ([*"abcdefghij"], 9)],
)
def test_rare_labels_are_not_in_use(answers: list[str], labels: int) -> None:
    """Only the most frequent answers count, until they cover nine in ten."""
    assert labels_in_use(answers) == labels


def test_names_are_no_part_of_a_label() -> None:
    """Knights and knaves are labels by their order, whatever the people are called."""
    entry: dict[str, Any] = {"answer": "Zoey is a hero", "metadata": {"solution": (True,)}}
    assert label_of("knights_knaves", entry) == "(True,)"
    assert label_of("acre", entry) == "Zoey is a hero"


def test_few_labels_are_measured_and_many_are_not() -> None:
    """The two answers of isomorphic_strings are predicted no better than by chance."""
    options = parse_options(["--problems", "150"])
    record = measure(ProblemMaker(strict=True), "isomorphic_strings", None, options)
    assert record["problems"] > 140 and record["labels"] == 2 and record["tell"] < 0.2
    many = measure(ProblemMaker(strict=True), "chain_sum", None, options)
    assert many["problems"] == 60 and many["tell"] is None
