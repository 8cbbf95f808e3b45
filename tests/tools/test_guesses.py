"""Guesses at one of a few possible answers, and rules for any question."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rgenv.task_names import KNOWN_TASKS
from rgenv.worker.problem_maker import ProblemMaker
from tools import guesses
from tools.guesses import RULES, any_question

pytestmark = pytest.mark.soak

MAKER = ProblemMaker(strict=True)


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
    assert isinstance(guesses.generic_answers(task, {"question": question}), dict)


def test_what_the_task_asks_for_is_no_shortcut() -> None:
    """Reversing is left out of the rules for spell_backward, and kept for other tasks."""
    entry = {"question": "Spell this word backward (example: sun -> nus): age"}
    assert "ega" not in guesses.generic_answers("spell_backward", entry).values()
    assert "ega" in guesses.generic_answers("string_manipulation", entry).values()


def test_parts_of_a_question_are_answers() -> None:
    """Words are copied, sorted and counted; numbers are added and compared."""
    words = any_question.answers('Read "this" twice.\n\nWords: b, a, b')
    assert (words["sort the words"], words["first quoted piece"]) == ("a, b, b", "this")
    numbers = any_question.answers("For 9 children: 2, 6, 6")
    assert numbers["sum of the numbers of the data"] == "14"
    assert numbers["first number of the question"] == "9"
