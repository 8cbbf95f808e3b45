"""rgenv/validation/wrong_values.py: changes that make a right answer wrong."""

import json
import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rgenv.tasks import COMPOSITE, KNOWN_TASKS
from rgenv.validation.wrong_values import CHANGERS, integer, may_be_right

BOARD = "capture some stones.\n```\n   A B C\n 3 . X .\n 2 X O .\n 1 . X O\n```"
GRID = "in the following grid:\n* O\nX #\n"
SUM = "\n\n  AB\n+ BA\n----\n  CC\n\n"


def test_every_task_has_a_changer() -> None:
    """The table is complete and names no other task."""
    assert set(CHANGERS) == set(KNOWN_TASKS) - {COMPOSITE}


@given(st.integers(-(10**20), 10**20), st.randoms(use_true_random=False))
def test_changed_integers_are_other_integers(value: int, rng: random.Random) -> None:
    """Each change is an integer that differs from the right one."""
    changes = integer(str(value), "", rng)
    assert "next" in changes
    assert value not in {int(text) for text in changes.values()}


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize(
    ("task", "reference", "question"),
    [
        ("dice", "737/960", ""),
        ("coin_flip", "0.3125", ""),
        ("prime_factorization", "2 × 3 × 67", ""),
        ("arc_agi", "1 2\n3 4", ""),
        ("sudoku", "1 2\n2 1", ""),
        ("n_queens", "_ Q _ _\n_ _ _ Q\nQ _ _ _\n_ _ Q _", ""),
        ("game_of_life", "[[0,1],[1,1]]", ""),
        ("number_sorting", "['2.0', '1.5']", ""),
        ("knights_knaves", "A is a sage, and B is a fool.", "who is a sage and who is a fool?"),
        ("shortest_path", "up left", ""),
        ("time_intervals", "03:20:50", ""),
        ("letter_jumble", "What a day", ""),
        ("polynomial_equations", "-3.625, 0.0", ""),
    ],
)
def test_changes_differ_from_the_right_answer(
    task: str, reference: str, question: str, seed: int
) -> None:
    """No change gives the right answer back, whatever is drawn."""
    changes = CHANGERS[task](reference, question, random.Random(seed))
    assert changes
    assert reference not in changes.values()


def test_fractions_have_other_values() -> None:
    """A fraction that is equal is wrong only if it is not reduced, as the question asks."""
    for seed in range(50):
        for text in CHANGERS["dice"]("1/2", "", random.Random(seed)).values():
            assert Fraction(text) != Fraction(1, 2) or text != "1/2"


def test_a_change_of_json_keeps_its_form() -> None:
    """Changed values are JSON, so they are refused for their value alone."""
    reference = json.dumps({"a": [1, 2.5, "x"], "b": True, "c": None})
    for seed in range(30):
        for text in CHANGERS["codeio"](reference, "", random.Random(seed)).values():
            assert json.loads(text) != json.loads(reference)


@pytest.mark.parametrize(
    ("task", "answer", "question", "expected"),
    [
        ("tsumego", "C2", BOARD, True),
        ("tsumego", "A3", BOARD, False),
        ("tsumego", "B1", BOARD, False),
        ("cryptarithm", "A=1,B=2,C=3", SUM, True),
        ("cryptarithm", "A=1,B=2,C=4", SUM, False),
        ("cryptarithm", "A=1,B=1,C=2", SUM, False),
        ("shortest_path", "right down", GRID, True),
        ("shortest_path", "down right", GRID, False),
        ("shortest_path", "right", GRID, False),
        ("word_ladder", "TIP,TOP,TOY", "from 'TIP' to 'TOY'", True),
        ("word_ladder", "TIP,TOY", "from 'TIP' to 'TOY'", False),
        ("word_ladder", "TIP,TOP", "from 'TIP' to 'TOY'", False),
        ("codeio", "{}", "Can you predict a feasible input without", True),
        ("codeio", "{}", "Can you predict the output without", False),
        ("gcd", "7", "", False),
    ],
)
def test_answers_that_may_be_right(task: str, answer: str, question: str, expected: bool) -> None:
    """Where several answers are right, an independent check finds the others."""
    assert may_be_right(task, answer, question) is expected
