"""rgenv/worker/labels/sequences.py: sequences whose next term can be known."""

from itertools import product
from typing import Any

import pytest
from reasoning_gym.factory import create_dataset

from rgenv.worker import fast_generators
from rgenv.worker.labels import sequences
from tests.worker.labels.surfaces.served import LEVELS, served

OPERATIONS = (
    "square",
    "double",
    "halve",
    "add previous",
    *(f"add {by}" for by in range(-10, 11) if by),
    *(f"multiply by {by}" for by in range(-10, 11) if by),
)


def sequence(rule: str, *terms: int) -> dict[str, Any]:
    """Return an entry of the library that asks for the last of the terms."""
    question = ", ".join(map(str, terms[:-1])) + ", ?"
    return {
        "question": question,
        "answer": str(terms[-1]),
        "metadata": {"rule": rule, "sequence": [*terms]},
    }


def next_terms(shown: list[int], operations: int) -> set[int]:
    """Return what comes next by each rule of so many operations that fits, tried one by one."""
    found = set()
    for rule in product(OPERATIONS, repeat=operations):
        for place in range(1, len(shown)):
            if sequences.next_term(rule, shown[:place]) != shown[place]:
                break
        else:
            found.add(sequences.next_term(rule, shown))
    return found


@pytest.mark.parametrize("level", LEVELS)
def test_all_rules_of_two_operations_agree(level: float | None) -> None:
    """Any rule of the generator of one or two operations that fits goes on with the answer."""
    for entry in served(sequences.number_sequence, "number_sequence", level, 8):
        *shown, answer = entry["metadata"]["sequence"]
        assert entry["question"] == ", ".join(map(str, shown)) + ", ?"
        assert entry["answer"] == str(answer)
        assert next_terms(shown, 1) | next_terms(shown, 2) <= {answer}


def test_no_question_has_two_answers() -> None:
    """Whatever the level, the same terms go on with the same number."""
    answers: dict[str, str] = {}
    for level in LEVELS:
        for entry in served(sequences.number_sequence, "number_sequence", level, 150):
            assert answers.setdefault(entry["question"], entry["answer"]) == entry["answer"]


@pytest.mark.parametrize(
    ("shown", "following"),
    [
        ([-1, -2, -3, -4, -5], -6),  # steps of -1
        ([2, 6, 18, 54], 162),  # times 3
        ([-5, -10, -17, -26, -37], -50),  # steps that fall by 2
        ([3, 5, 11, 29], 83),  # steps that are 3 times the last
        ([-2, 2, 0, 2, 2, 4], 6),  # the sum of two
        ([1, 1, 3, 5, 9, 15], 25),  # that sum and one
        ([-5, -3, -2, -1, -1], 0),  # the last but one less the last
        ([1, 2, 2, 4, 8], 32),  # the product of two
        ([1, 4, 6, 9, 11], 14),  # steps of 3 and 2 in turn
        ([3, -3, 5, -5, 7], -7),  # two sequences in turn
        ([10, 1, 9, 2, 8, 3, 7], 4),  # the same
        ([7, 1, 4, 7, 1, 4], 7),  # a period
    ],
)
def test_plain_rules_are_known(shown: list[int], following: int) -> None:
    """What follows by a rule that first comes to mind is among the continuations."""
    assert following in sequences.plain_continuations(shown)
    assert following in sequences.continuations(shown)


def test_more_terms_are_shown_where_rules_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two rules fit 1, 2, 5, 12: terms are added, unless one of them were too large."""
    entry = sequence("double then add previous", 1, 2, 5, 12, 29)
    result = sequences.number_sequence(entry)
    assert result is not None
    assert {29, 30} <= set(sequences.continuations([1, 2, 5, 12]))
    assert (result["question"], result["answer"]) == ("1, 2, 5, 12, 29, 70, ?", "169")
    monkeypatch.setattr(sequences, "LARGEST", 100)
    assert sequences.number_sequence(entry) is None


def test_sequences_that_stay_unclear_are_refused() -> None:
    """Zeros after the first term say too little of a rule."""
    assert sequences.number_sequence(sequence("multiply by 5 then halve", 1, 0, 0, 0, 0)) is None


def test_longer_sequences_follow_the_library() -> None:
    """The terms that are added are those that the library would have added."""
    fast_generators.install()
    for seed in range(40):
        terms = {"min_terms": 8, "max_terms": 8, "max_complexity": 4}
        entry = create_dataset("number_sequence", seed=seed, size=1, **terms)[0]["metadata"]
        rule = entry["rule"].split(" then ")
        for place in range(1, 9):
            shown = entry["sequence"][:place]
            assert sequences.next_term(rule, shown) == entry["sequence"][place]
