"""Conclusions from premises."""

import pytest

from tests.support.records import RULES


@pytest.mark.parametrize(
    ("premises", "rule", "answer"),
    [
        ("1. (P → Q)\n.2. (P ∨ ¬Q)\n.3. R", "the rarest variable", "R"),
        ("1. (P → Q)\n.2. (P ∨ ¬Q)\n.3. ¬R", "the rarest variable", "¬R"),
        ("1. (P → Q)\n.2. ¬P\n.3. ¬R", "the rarest variable that is not given", "Q"),
        ("1. (P → Q)\n.2. (P → R)\n.3. Q", "the most frequent variable that is not given", "¬P"),
        ("1. (¬(P ∨ R) ∧ R)\n.2. (P → Q)\n.3. Q", "the rarest variable", "¬P"),
    ],
)
def test_literals_are_those_that_the_premises_repeat(premises: str, rule: str, answer: str) -> None:
    """The sign is the one that the premises mean most often, by the connectives around it."""
    answers = RULES["propositional_logic"](f"Given:\n{premises}\n.What can we conclude?")
    assert answers[f"{rule}, as it is meant most often"] == answer


def test_literals_are_written_as_the_premises_write_them() -> None:
    """The other rules count the signs right before a variable."""
    answers = RULES["propositional_logic"]("Given:\n1. (P → Q)\n.2. (P → ¬Q)\n.3. (¬Q ∨ P)\n.What?")
    assert answers["the rarest variable, as it is written most often"] == "P"
    assert answers["the rarest variable, as it is meant most often"] == "¬P"


def test_both_signs_are_tried_where_they_are_as_frequent() -> None:
    """A variable that is affirmed as often as denied gives two answers, and two give a clause."""
    answers = RULES["propositional_logic"]("Given:\n1. (P → Q)\n.2. (P ∧ R)\n.3. (R ∨ ¬Q)\n.What?")
    name = "the second rarest variable that is not given"
    assert (answers[f"{name}, affirmed"], answers[f"{name}, denied"]) == ("Q", "¬Q")
    assert answers["the two rarest variables, as they are meant most often"] == "P ∨ Q"
