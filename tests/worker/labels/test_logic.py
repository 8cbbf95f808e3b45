"""rgenv/worker/labels/logic.py: corrections derived from the sentences of a question."""

import itertools
from typing import Any

import pytest
import reasoning_gym

from rgenv.worker.labels.logic import (
    aiw,
    family_relationships,
    needle_haystack,
    propositional_logic,
    syllogism,
)


def syllogism_of(first: str, second: str, conclusion: str, answer: str = "Yes") -> dict[str, Any]:
    question = (
        f"Consider these statements:\n1. {first}\n2. {second}\n\n"
        f"Does it logically follow that:\n{conclusion}?\n(Answer Yes or No)"
    )
    return {"question": question, "answer": answer, "metadata": {"is_valid": answer == "Yes"}}


@pytest.mark.parametrize(
    ("first", "second", "conclusion", "answer"),
    [
        ("All cats are dogs", "All dogs are ants", "All cats are ants", "Yes"),
        ("All cats are dogs", "No dogs are ants", "No ants are cats", "Yes"),
        ("Some cats are dogs", "All dogs are ants", "Some cats are ants", "Yes"),
        ("Some cats are not dogs", "All ants are dogs", "Some cats are not ants", "Yes"),
        ("Some cats are not dogs", "All dogs are ants", "Some cats are not ants", "No"),
        ("All cats are dogs", "All ants are dogs", "All cats are ants", "No"),
        ("No cats are dogs", "No dogs are ants", "No cats are ants", "No"),
    ],
)
def test_a_syllogism_gets_its_proven_answer(
    first: str, second: str, conclusion: str, answer: str
) -> None:
    """The answer is the proven one, whichever answer the library gave."""
    for wrong_or_right in ("Yes", "No"):
        result = syllogism(syllogism_of(first, second, conclusion, wrong_or_right))
        assert result is not None
        assert (result["answer"], result["metadata"]["is_valid"]) == (answer, answer == "Yes")


@pytest.mark.parametrize(
    "conclusion", ["Some cats are ants", "Some ants are cats", "Some dogs are cats"]
)
def test_a_syllogism_that_depends_on_existence_is_discarded(conclusion: str) -> None:
    """A step from "all" to "some" is valid only if there are cats, which no premise says."""
    assert syllogism(syllogism_of("All cats are dogs", "All dogs are ants", conclusion)) is None


def brute_force(entry: dict[str, Any], *, exist: bool) -> bool:
    """Return whether the conclusion holds in every allowed world of up to four things.

    Args:
        exist: allow only worlds in which every word applies to something.
    """
    lines = [line.lstrip("12. ").rstrip("?") for line in entry["question"].split("\n")]
    forms = [line.split(" are ") for line in lines if " are " in line]
    words = {w for a, b in forms for w in (a.split()[1], b.removeprefix("not "))}
    kinds = [set(c) for n in range(4) for c in itertools.combinations(sorted(words), n)]

    def holds(world: tuple[set[str], ...], subject: str, predicate: str) -> bool:
        quantifier, noun = subject.split()
        wanted = not predicate.startswith("not ")
        hits = [(predicate.removeprefix("not ") in x) == wanted for x in world if noun in x]
        return {"All": all(hits), "No": not any(hits), "Some": any(hits)}[quantifier]

    for size in range(5):
        for world in itertools.combinations(kinds, size):
            if exist and set().union(*world) != words:
                continue
            if holds(world, *forms[0]) and holds(world, *forms[1]) and not holds(world, *forms[2]):
                return False
    return True


def test_corrected_syllogisms_agree_with_brute_force() -> None:
    """Of 300 entries, those kept have one answer under both readings; the others have two."""
    dataset = reasoning_gym.create_dataset("syllogism", size=300, seed=0)
    changed = 0
    for index in range(300):
        entry = dataset[index]
        readings = {brute_force(entry, exist=exist) for exist in (False, True)}
        result = syllogism(entry)
        assert (result is None) == (len(readings) == 2)
        if result is not None:
            assert readings == {result["answer"] == "Yes"}
            changed += result["answer"] != entry["answer"]
    assert changed >= 20


def test_a_wrong_syllogism_of_the_library_is_corrected() -> None:
    """The library answers Yes for seed 11, although that is wrong in both readings."""
    entry = reasoning_gym.create_dataset("syllogism", size=1, seed=11)[0]
    result = syllogism(entry)
    assert entry["answer"] == "Yes" and result is not None and result["answer"] == "No"


def premises(*formulas: str, example: str) -> dict[str, Any]:
    metadata = {"premises": [*formulas], "variables": ["P", "Q"], "example_answer": example}
    return {"question": "", "answer": None, "metadata": metadata}


def test_contradictory_and_empty_premises_are_discarded() -> None:
    """Everything follows from a contradiction, and nothing but tautologies from a tautology."""
    assert propositional_logic(premises("P", "¬P", example="(P ∨ Q)")) is None
    assert propositional_logic(premises("(P → P)", "(Q ∨ ¬Q)", example="P")) is None


@pytest.mark.parametrize(
    ("formulas", "conclusion"),
    [
        (("(P → Q)", "(Q → P)"), "(P ↔ Q)"),
        (("(P → Q)", "P"), "Q"),
        (("(P → Q)", "¬Q"), "¬P"),
        (("P", "Q"), None),
        (("(P ∧ Q)", "(P ∨ Q)"), None),
    ],
)
def test_the_example_answer_has_to_be_inferred(
    formulas: tuple[str, ...], conclusion: str | None
) -> None:
    """The example follows from the premises together only; without such an example: None."""
    result = propositional_logic(premises(*formulas, example="(P ∧ Q)"))
    assert (result and result["metadata"]["example_answer"]) == conclusion


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


STORY = (
    "Jayden is married to Elizabeth. They have children called Edward, Kai and Lily. "
    "Edward is married to Sarah. They have a child called Max. Sage is married to Lily."
)


@pytest.mark.parametrize(
    ("one", "other", "word"),
    [
        ("Sarah", "Elizabeth", "daughter-in-law"),
        ("Elizabeth", "Sarah", "mother-in-law"),
        ("Lily", "Max", "aunt"),
        ("Edward", "Max", "father"),
        ("Sage", "Jayden", "son-in-law"),
        ("Kai", "Max", None),
    ],
)
def test_the_relation_is_that_of_the_first_person_named(
    one: str, other: str, word: str | None
) -> None:
    """The word describes the first person; None if the name leaves that person's sex open."""
    question = f"{STORY}\n\nWhat is {one} to {other}? Respond only with the word."
    result = family_relationships({"question": question, "answer": "uncle"})
    assert (result and result["answer"]) == word


def test_a_story_with_two_right_answers_is_discarded() -> None:
    """Only a story in which one person does what is asked for is kept."""
    story = "Ann likes tea. Bob hates tea. Cid likes green tea. {}\nWho likes tea? Reply only."
    entry = {"question": story.format(""), "answer": "Ann"}
    assert needle_haystack(entry) is entry
    assert needle_haystack({**entry, "question": story.format("Dan likes tea. ")}) is None
