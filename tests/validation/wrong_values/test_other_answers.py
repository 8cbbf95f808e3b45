"""Changed answers that may be right after all."""

import pytest

from rgenv.validation.wrong_values.other_answers import may_be_right

BOARD = "capture some stones.\n```\n   A B C\n 3 . X .\n 2 X O .\n 1 . X O\n```"
GRID = "in the following grid:\n* O\nX #\n"
SUM = "\n\n  AB\n+ BA\n----\n  CC\n\n"


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
