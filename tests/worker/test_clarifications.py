"""Sentences for questions that leave out what is demanded."""

import re

import pytest
import reasoning_gym

from rgenv.task_names import COMPOSITE, KNOWN_TASKS
from rgenv.tasks.algorithmic.manipulate_matrix import MIRRORS, ROTATIONS
from rgenv.worker.levels import level_config
from rgenv.worker.operations import clarification
from rgenv.worker.problem_maker import ProblemMaker
from tests.support.records import SENTENCES

SEEDS = range(900, 912)


@pytest.fixture(scope="module")
def maker() -> ProblemMaker:
    return ProblemMaker()


def test_tasks_are_known() -> None:
    """Every sentence belongs to a task of the library."""
    assert set(SENTENCES) <= set(KNOWN_TASKS) - {COMPOSITE}


@pytest.mark.parametrize("task", sorted(SENTENCES))
def test_sentences_say_more_than_the_question_and_less_than_the_answer(
    task: str, maker: ProblemMaker
) -> None:
    """Each appears on some question, repeats nothing of it and depends on the question alone."""
    texts = set()
    for config in ({}, level_config(task, 0.5)):
        for entry in (maker.make(task, seed, config) for seed in SEEDS):
            text = clarification(task, entry)
            assert text == clarification(task, {"question": entry["question"]})
            assert text == "" or (text not in entry["question"] and text.endswith("."))
            texts.add(text)
    assert texts - {""}
    assert all(len(text) < 120 for text in texts)


@pytest.mark.parametrize("task", sorted(set(KNOWN_TASKS) - {COMPOSITE, *SENTENCES}))
def test_other_tasks_need_none(task: str) -> None:
    """A task without a sentence gets an empty text, whatever its question says."""
    assert clarification(task, {"question": "Rotate the matrix 90 degrees: starfish"}) == ""


@pytest.mark.parametrize(
    ("task", "answer"),
    [
        ("puzzle24", "24"),
        ("polynomial_multiplication", "{expression}"),
        ("palindrome_partitioning", '[["{letters}"]]'),
        ("word_ladder", "{inner}"),
    ],
)
def test_what_a_sentence_demands_is_demanded(task: str, answer: str, maker: ProblemMaker) -> None:
    """Answers that ignore it score less than 1.0, so a question without it would be unfair."""
    for seed in SEEDS:
        entry = maker.make(task, seed, {})
        filled = answer.format(
            expression=re.sub(r".*?: |\n.*", "", entry["question"], flags=re.DOTALL),
            letters=entry["question"].split()[-1],
            inner=entry["answer"].partition(",")[2],
        )
        assert maker.score(task, maker.dataset(task, seed, {}), entry, filled) < 1.0


@pytest.mark.parametrize(
    ("operation", "sentence"),
    [
        ("Rotate the matrix 90 degrees", ROTATIONS),
        ("Rotate the matrix 180 degrees", ""),
        ("Horizontally mirror the matrix", MIRRORS),
        ("Vertically mirror the matrix\n- Rotate the matrix 270 degrees", f"{ROTATIONS} {MIRRORS}"),
        ("Mirror the matrix along the diagonal", ""),
    ],
)
def test_a_sentence_appears_where_it_matters(operation: str, sentence: str) -> None:
    """Of several sentences, a question gets those that it needs."""
    assert clarification("manipulate_matrix", {"question": f"- {operation}"}) == sentence


def test_the_right_one_of_two_middle_characters_is_removed() -> None:
    """The sentence for string_manipulation says what the library does, where its rule is asked."""
    (rule,) = [
        rule
        for rule in reasoning_gym.create_dataset("string_manipulation", size=1, seed=0).rules
        if "middle" in rule[0]
    ]
    assert "the right one" in clarification("string_manipulation", {"question": rule[0]})
    assert rule[1]("aaaaaaaabccccccc")[0] == "aaaaaaaaccccccc"
    assert clarification("string_manipulation", {"question": "remove the first character"}) == ""
