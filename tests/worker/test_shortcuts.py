"""Rules that answer without solving: what they read, and which problems they are found to solve."""

import time
from typing import Any

import pytest
import reasoning_gym
from hypothesis import given, settings
from hypothesis import strategies as st

from rgenv.task_names import COMPOSITE, KNOWN_TASKS
from rgenv.worker import selection, shortcuts
from rgenv.worker.problem_maker import ProblemMaker
from rgenv.worker.selection import solving_shortcut
from tests.support.records import KEPT, RULES

TASKS = sorted(set(KNOWN_TASKS) - {COMPOSITE})
SHARES = st.floats(0, 1)


def entry_of(question: str, answer: str | None) -> dict[str, Any]:
    return {"question": question, "answer": answer, "metadata": {}}


def never(answer: str) -> float:
    raise AssertionError(answer)


def string_insertion(string: str) -> str:
    return (
        f"1. If there is a substring ABCD in the string, insert the character A.\npattern: {string}"
    )


@pytest.mark.parametrize("task", RULES)
def test_rules_answer_the_questions_of_their_task(task: str) -> None:
    """At least one rule answers some question of the library's, by its text alone."""
    assert task in TASKS
    dataset = reasoning_gym.create_dataset(task, size=20, seed=4)
    for question in (entry["question"] for entry in dataset):
        if found := shortcuts.answers(task, {"question": question}):
            break
    assert found and all(isinstance(answer, str) for answer in found.values())
    assert found == shortcuts.answers(task, {"question": question})


@settings(max_examples=20, deadline=None)
@given(st.sampled_from(sorted(RULES)), st.text(max_size=300))
def test_any_text_is_a_question(task: str, question: str) -> None:
    """A text that no rule can read gives no answer, and no exception."""
    assert isinstance(shortcuts.answers(task, {"question": question}), dict)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(sorted(RULES)), st.integers(0, 3), st.floats(0, 1), st.floats(0, 1))
def test_a_question_may_lack_a_part(task: str, seed: int, start: float, end: float) -> None:
    """A question with a piece cut out gives fewer answers, and no exception."""
    question = MAKER.make(task, seed, {})["question"]
    first, last = sorted((int(start * len(question)), int(end * len(question))))
    cut = question[:first] + question[last:]
    assert isinstance(shortcuts.answers(task, {"question": cut}), dict)


MAKER = ProblemMaker(strict=True)


@pytest.mark.parametrize("task", RULES)
def test_long_questions_take_no_time(task: str) -> None:
    """Rules read a question of the greatest length in tenths of a second, not in seconds."""
    question = MAKER.make(task, 0, {})["question"]
    for text in (question * 1000, "1 " * 10**6, question + "1 " * 20_000, question + "[" * 40_000):
        began = time.process_time()
        shortcuts.answers(task, {"question": text[: shortcuts.MAX_QUESTION]})
        shortcuts.answers(task, {"question": text})
        assert time.process_time() - began < 3.0


def test_a_copied_string_is_found() -> None:
    """A problem whose answer is its input is solved by a shortcut; others are not."""
    question = string_insertion("ABEAD")
    assert shortcuts.solving("string_insertion", entry_of(question, "ABEAD"), never) is not None
    question = string_insertion("ABCDE")
    assert shortcuts.solving("string_insertion", entry_of(question, "ABCDAE"), never) is None


def test_the_verifier_judges_where_answers_differ() -> None:
    """A board of queens is right by its score; a verifier that raises finds it wrong."""
    entry = entry_of("size 4 x 4\n_ Q _ _\n_ _ _ _\n_ _ _ _\n_ _ _ _", "some other board")
    assert shortcuts.solving("n_queens", entry, lambda answer: 1.0) is not None
    assert shortcuts.solving("n_queens", entry, lambda answer: 0.9) is None

    def failing(answer: str) -> float:
        raise RuntimeError

    assert shortcuts.solving("n_queens", entry, failing) is None


def test_answers_are_compared_without_spaces_and_case() -> None:
    """A copied grid is right in any spacing."""
    entry = entry_of("matrix below:\n0 1\n1 0", "0 1 \n1  0")
    assert shortcuts.solving("binary_matrix", entry, never) == "copy the matrix"


@pytest.mark.parametrize("task", KEPT)
def test_the_table_of_kept_rules_names_rules(task: str) -> None:
    """Each rule whose problems are partly kept is a rule of its task."""
    entries = [MAKER.make(task, seed, {}) for seed in range(30)]
    assert KEPT[task].keys() <= {n for e in entries for n in shortcuts.answers(task, e)}


def test_a_share_of_solved_problems_is_kept() -> None:
    """About one in eight mazes whose way has one detour is not named."""
    named = 0
    for size in range(200):
        question = f"from 'S' (start) to 'G' (goal):\n\n```\nS{'o' * size}oG\n```\nLegend"
        entry = entry_of(question, str(size + 4))
        named += shortcuts.solving("maze", entry, never) is not None
    assert 155 <= named <= 192


def test_many_problems_of_a_task_are_found_solved() -> None:
    """The distance without walls is found to be right in most mazes with default parameters."""
    found = [solving_shortcut(MAKER, "maze", seed, {}) for seed in range(40)]
    assert found.count("distance without walls") > 20


def test_to_add_what_is_to_be_added_is_sometimes_a_shortcut() -> None:
    """Some sums have plus signs alone, but not as many as the library makes by default."""
    drawn = [selection.draw(MAKER, "chain_sum", seed, {}) for seed in range(200)]
    questions = [MAKER.make("chain_sum", seed, {})["question"] for seed in drawn]
    assert 5 < sum("-" not in question.rsplit(":", 1)[-1] for question in questions) < 40
