"""Guesses at one of a few possible answers."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rgenv.task_names import KNOWN_TASKS
from rgenv.worker.problem_maker import ProblemMaker
from tests.worker.test_shortcuts import CUBE
from tools import guesses
from tools.guesses import RULES

ARC = "Example 1:\n\nInput:\n1 2\nOutput:\n2 1\n\nInput:\n5 6 7"
MAKER = ProblemMaker(strict=True)


@pytest.mark.parametrize(
    ("task", "question", "rule", "answer"),
    [
        ("arc_1d", ARC, "move by one", "7 5 6"),
        ("caesar_cipher", "Decrypt: CDE. Provide it", "move back by 2", "ABC"),
        ("circuit_logic", "A = 1\nB = 0\nC = 1", "the most frequent input", "1"),
        ("color_cube_rotation", CUBE, "only the first turn", "blue"),
        ("color_cube_rotation", CUBE, "only the last turn", "red"),
        ("color_cube_rotation", CUBE, "all but the first turn", "pink"),
        ("color_cube_rotation", CUBE, "all but the last turn", "gold"),
        ("color_cube_rotation", CUBE, "the colour of the first side that is named", "lime"),
        ("color_cube_rotation", CUBE, "the colour opposite the first side that is named", "aqua"),
        ("complex_arithmetic", "(1.0 + 2.0i) / (3.0 - 1.0i)", "add", "4.0 + 1.0i"),
        (
            "letter_counting",
            'the letter "e" appear in the text: "we see it"?',
            "words with the letter and 1",
            "3",
        ),
        (
            "mahjong_puzzle",
            "initial cards AXBY, Add a C card",
            "as if the last ten cards were the hand",
            "Chi",
        ),
        ("needle_haystack", "Ann likes tea. Bob is out. \nWho?", "the first name", "Ann"),
        (
            "number_format",
            "the smallest of the candidates: 1,000.5 1.0e+03",
            "the first candidate",
            "1000.5",
        ),
        ("path_star", "task:\n|1 2|2 3|1 4/1 4 = ", "the last arm", "1 4"),
        ("path_star", "task:\n|1 2|2 3|1 4/1 4 = ", "the first arm", "1 2 3"),
        ("propositional_logic", "Given:\n1. (P → Q)\n.What", "join two variables by or", "(P ∨ Q)"),
        ("rotate_matrix", "by 90 degrees:\n1 2\n3 4", "three quarters", "2 4\n1 3"),
        ("simple_geometry", "80.0°, 90.0°, 100.0°", "360 less the sum", "90"),
    ],
)
def test_guesses_pick_an_answer(task: str, question: str, rule: str, answer: str) -> None:
    """Each rule picks one of the answers that are possible."""
    assert RULES[task](question)[rule] == answer


def test_every_second_person_may_be_said_to_lie() -> None:
    """The words are those of the question, which differ from problem to problem."""
    answers = RULES["knights_knaves"]('like: "Ann is a knight/knave, and Bo is a knight/knave"')
    assert answers["in turns"] == "Ann is a knight, and Bo is a knave."
    assert answers["in turns, the first lies"] == "Ann is a knave, and Bo is a knight."


@pytest.mark.parametrize("task", RULES)
def test_guesses_read_the_questions_of_their_task(task: str) -> None:
    """Each task with guesses is one of the library's, and a guess answers its question."""
    assert task in KNOWN_TASKS
    found = guesses.answers(task, MAKER.make(task, 4, {}))
    assert found and all(isinstance(answer, str) for answer in found.values())


@settings(max_examples=20, deadline=None)
@given(st.sampled_from(sorted(RULES)), st.text(max_size=300))
def test_any_text_is_a_question(task: str, question: str) -> None:
    """A text that no rule can read gives no answer, and no exception."""
    assert isinstance(guesses.answers(task, {"question": question}), dict)
