"""rgenv/worker/labels/logic.py: what follows from a question's sentences."""

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
def test_syllogisms(first: str, second: str, conclusion: str, answer: str) -> None:
    """Whatever the library says, the answer is the proven one."""
    for label in ("Yes", "No"):
        mended = syllogism(syllogism_of(first, second, conclusion, label))
        assert mended is not None
        assert (mended["answer"], mended["metadata"]["is_valid"]) == (answer, answer == "Yes")


@pytest.mark.parametrize(
    "conclusion", ["Some cats are ants", "Some ants are cats", "Some dogs are cats"]
)
def test_what_hangs_on_existence_is_made_again(conclusion: str) -> None:
    """From "all" to "some": valid if there are cats, and nobody says so."""
    assert syllogism(syllogism_of("All cats are dogs", "All dogs are ants", conclusion)) is None


def brute_force(entry: dict[str, Any], *, exist: bool) -> bool:
    """Whether the conclusion holds in every world of up to four things that the premises allow."""
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


def test_syllogisms_of_the_library_agree_with_brute_force() -> None:
    """300 of them: kept ones have the answer of both readings, the others have two answers."""
    dataset = reasoning_gym.create_dataset("syllogism", size=300, seed=0)
    mended = 0
    for index in range(300):
        entry = dataset[index]
        readings = {brute_force(entry, exist=exist) for exist in (False, True)}
        result = syllogism(entry)
        assert (result is None) == (len(readings) == 2)
        if result is not None:
            assert readings == {result["answer"] == "Yes"}
            mended += result["answer"] != entry["answer"]
    assert mended >= 20


def test_a_wrong_syllogism_of_the_library_is_mended() -> None:
    """Seed 11 is labelled Yes and does not follow, with or without members."""
    entry = reasoning_gym.create_dataset("syllogism", size=1, seed=11)[0]
    mended = syllogism(entry)
    assert entry["answer"] == "Yes" and mended is not None and mended["answer"] == "No"


def premises(*formulas: str, example: str) -> dict[str, Any]:
    metadata = {"premises": [*formulas], "variables": ["P", "Q"], "example_answer": example}
    return {"question": "", "answer": None, "metadata": metadata}


def test_premises_that_say_all_or_nothing_are_made_again() -> None:
    """From a contradiction everything follows, from a tautology nothing worth saying."""
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
def test_the_example_has_to_be_inferred(formulas: tuple[str, ...], conclusion: str | None) -> None:
    """What premises say together and none says alone; without that there is nothing to ask."""
    mended = propositional_logic(premises(*formulas, example="(P ∧ Q)"))
    assert (mended and mended["metadata"]["example_answer"]) == conclusion


def test_matilda_s_colleagues_are_of_both_circles() -> None:
    """Five women around Susan and four around James: 5 - 1 + Susan, and 4 - 1."""
    entry = reasoning_gym.create_dataset("aiw", size=1, seed=0)[0]
    mended = aiw(entry)
    assert "5 female" in entry["question"] and "4 female" in entry["question"]
    assert entry["answer"] == "6" and mended is not None and mended["answer"] == "8"


def test_a_brother_s_brother_out_of_nowhere_is_made_again() -> None:
    """Nobody says whose brother William is."""
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
def test_relations(one: str, other: str, word: str | None) -> None:
    """The word is for the first person; None where a name does not tell of the sex."""
    question = f"{STORY}\n\nWhat is {one} to {other}? Respond only with the word."
    mended = family_relationships({"question": question, "answer": "uncle"})
    assert (mended and mended["answer"]) == word


def test_two_who_do_the_same_are_made_again() -> None:
    """One needle in the haystack, not two."""
    story = "Ann likes tea. Bob hates tea. Cid likes green tea. {}\nWho likes tea? Reply only."
    entry = {"question": story.format(""), "answer": "Ann"}
    assert needle_haystack(entry) is entry
    assert needle_haystack({**entry, "question": story.format("Dan likes tea. ")}) is None
