"""Corrections derived from the sentences of a question."""

import re
from collections import Counter
from typing import Any

import pytest
import reasoning_gym
from hypothesis import given
from hypothesis import strategies as st

from rgenv.tasks.cognition.needle_haystack import correct as needle_haystack
from rgenv.tasks.logic import propositional_logic
from rgenv.tasks.logic.aiw import correct as aiw


def premises(*formulas: str, example: str) -> dict[str, Any]:
    metadata = {"premises": [*formulas], "variables": ["P", "Q"], "example_answer": example}
    return {"question": "", "answer": None, "metadata": metadata}


def test_contradictory_and_empty_premises_are_discarded() -> None:
    """Everything follows from a contradiction, and nothing but tautologies from a tautology."""
    assert propositional_logic.correct(premises("P", "¬P", example="(P ∨ Q)")) is None
    assert propositional_logic.correct(premises("(P → P)", "(Q ∨ ¬Q)", example="P")) is None


@pytest.mark.parametrize(
    ("formulas", "conclusion"),
    [
        (("(P → Q)", "(Q → P)"), None),
        (("((P → Q) ∧ Q)", "(P → (Q → P))"), None),
        (("(P ↔ Q)", "(P ∨ Q)"), "P"),
        (("(P → Q)", "P"), "Q"),
        (("(P → Q)", "¬Q"), "¬P"),
        (("P", "Q"), None),
        (("(P ∧ Q)", "(P ∨ Q)"), None),
    ],
)
def test_the_example_answer_has_to_be_inferred(
    formulas: tuple[str, ...], conclusion: str | None
) -> None:
    """The example follows from the premises together only; without such an example: None.

    A variable may be negated everywhere.
    """
    result = propositional_logic.correct(premises(*formulas, example="(P ∧ Q)"))
    found = result and result["metadata"]["example_answer"]
    assert (found and found.replace("¬", "")) == (conclusion and conclusion.replace("¬", ""))


def test_variables_are_negated_everywhere() -> None:
    """The question shows the premises, in which as many variables are given as true as as false."""
    dataset = reasoning_gym.create_dataset("propositional_logic", size=300, seed=5)
    results = [propositional_logic.correct(entry) for entry in dataset]
    shown = [result for result in results if result is not None]
    alone: Counter[bool] = Counter()
    for result in shown:
        listed = re.findall(r"^\.?\d+\. (.+)$", result["question"], re.MULTILINE)
        assert listed == result["metadata"]["premises"] and "¬¬" not in result["question"]
        alone.update(text.startswith("¬") for text in listed if len(text) <= 2)
    assert 0.4 < alone[True] / alone.total() < 0.6


@given(st.sampled_from("PQ"), st.text(max_size=20))
def test_negated_premises_mean_the_same(variable: str, question: str) -> None:
    """Premises with some variables negated have models of which those values are exchanged."""
    formulas = [f"({variable} → Q)", "P", "(Q ∨ ¬P)"]
    entry = {**premises(*formulas, example="P"), "question": question}
    result = propositional_logic.correct(entry)
    tables = propositional_logic.variable_tables(["P", "Q"])
    given_ones, negated_ones = (
        [
            propositional_logic.truth_table(propositional_logic.parse(text), tables).bit_count()
            for text in texts
        ]
        for texts in (formulas, result["metadata"]["premises"] if result else formulas)
    )
    assert given_ones == negated_ones


def test_matildas_colleagues_come_from_both_circles() -> None:
    """With five women around Susan and four around James, she has 5 - 1 + 1 + 4 - 1 colleagues."""
    entry = reasoning_gym.create_dataset("aiw", size=1, seed=0)[0]
    result = aiw(entry)
    assert "5 female" in entry["question"] and "4 female" in entry["question"]
    assert entry["answer"] == "6" and result is not None and result["answer"] == "8"


def test_a_question_about_an_unknown_brother_is_discarded() -> None:
    """The story does not say whose brother William is."""
    question = (
        "Patricia has 4 sisters and she also has 1 brothers. How many sisters does {}'s "
        "brother have?"
    )
    assert aiw({"question": question.format("William"), "answer": "5"}) is None
    entry = {"question": question.format("Patricia"), "answer": "5"}
    assert aiw(entry) is entry


def test_a_story_with_two_right_answers_is_discarded() -> None:
    """Only a story in which one person does what is asked for is kept."""
    story = "Ann likes tea. Bob hates tea. Cid likes green tea. {}\nWho likes tea? Reply only."
    entry = {"question": story.format(""), "answer": "Ann"}
    assert needle_haystack(entry) is entry
    assert needle_haystack({**entry, "question": story.format("Dan likes tea. ")}) is None
