"""Guesses at one of a few possible answers, and rules for any question."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rgenv.task_names import KNOWN_TASKS
from rgenv.worker.problem_maker import ProblemMaker
from tools import guesses
from tools.guesses import RULES

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
