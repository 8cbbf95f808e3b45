"""rgenv/tasks/answers/written.py: right and wrong answers in many forms."""

import random

import pytest

from rgenv.tasks.answers.kind import TEXT
from rgenv.tasks.answers.moves import Moves
from rgenv.tasks.answers.numbers import Number
from rgenv.tasks.answers.written import WRAPPERS, right_forms, wrong_forms
from tests.support.records import KINDS

UNKNOWN, QUESTION = KINDS["simple_equations"], "Solve for x: 2*x = 2268"


@pytest.mark.parametrize(
    ("reference", "unfair"),
    [
        ('["a", "b"]', {"double quotes", "single quotes"}),
        ("What is it?", {"full stop"}),
        ("$\\frac{1}{2}$", {"dollars", "LaTeX brackets", "LaTeX display", "full stop"}),
        ("`x`", {"backticks"}),
    ],
)
def test_wrappers_that_cannot_be_told_from_the_answer_are_left_out(
    reference: str, unfair: set[str]
) -> None:
    """An answer that ends as the wrapper does gets other wrappers only."""
    found = set(right_forms(TEXT, reference, ""))
    assert not unfair & found
    assert set(WRAPPERS) - unfair <= found


def test_wrong_forms_are_no_right_forms() -> None:
    """No text is on both lists, for any draw."""
    right = {text.strip() for text in right_forms(UNKNOWN, "1134", QUESTION).values()}
    for seed in range(30):
        wrong = wrong_forms(UNKNOWN, "1134", QUESTION, random.Random(seed))
        assert not right & {text.strip() for text in wrong.values()}


def test_moves_after_a_right_answer_are_not_called_wrong() -> None:
    """A sequence that goes on may end in a solved position."""

    class Turns(Moves):
        extendable = True

    wrong = wrong_forms(Turns(), "R U", "", random.Random(0))
    assert "prose after" in wrong and "twice" not in wrong
    assert not any(name.startswith("two") for name in wrong)


def test_what_may_be_right_is_left_out() -> None:
    """No form of such a change is written, and nothing is joined with it."""

    class Even(Number):
        def may_be_right(self, text: str, question: str) -> bool:
            return int(text) % 2 == 0

    wrong = wrong_forms(Even(), "7", "", random.Random(0))
    assert "next, plain" not in wrong and "8" not in wrong.values()
    assert "sign, plain" in wrong
