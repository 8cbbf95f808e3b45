"""Sequences whose next term can be known."""

import re
from collections import Counter
from itertools import product
from typing import Any

import pytest
from reasoning_gym.factory import create_dataset

from rgenv.tasks.cognition import number_sequence
from rgenv.worker.faster import install
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
        "seed": 1,
    }


def next_terms(shown: list[int], operations: int) -> set[int]:
    """Return what comes next by each rule of so many operations that fits, tried one by one."""
    found = set()
    for rule in product(OPERATIONS, repeat=operations):
        for place in range(1, len(shown)):
            if number_sequence.next_term(rule, shown[:place]) != shown[place]:
                break
        else:
            found.add(number_sequence.next_term(rule, shown))
    return found


@pytest.mark.parametrize("level", LEVELS)
def test_all_rules_of_two_operations_agree(level: float | None) -> None:
    """Any rule of the generator of one or two operations that fits goes on with the answer."""
    for entry in served(number_sequence.correct, "number_sequence", level, 8):
        *shown, answer = entry["metadata"]["sequence"]
        assert entry["question"] == ", ".join(map(str, shown)) + ", ?"
        assert entry["answer"] == str(answer)
        assert next_terms(shown, 1) | next_terms(shown, 2) <= {answer}


def test_no_kind_of_rule_is_frequent() -> None:
    """At most one rule in five has the same two operations in the same order."""
    rules = [
        re.sub(r"-?\d+", "N", entry["metadata"]["rule"])
        for entry in served(number_sequence.correct, "number_sequence", 0, 250)
        if entry["metadata"]["rule"].count(" then ") == 1
    ]
    assert len(rules) > 50
    assert Counter(rules).most_common(1)[0][1] <= len(rules) / 5


def test_no_question_has_two_answers() -> None:
    """Whatever the level, the same terms go on with the same number."""
    answers: dict[str, str] = {}
    for level in LEVELS:
        for entry in served(number_sequence.correct, "number_sequence", level, 150):
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
        ([-17, -5, -27, -15], -37),  # steps of 12 and -22 in turn
        ([2, 6, 12, 36], 72),  # times 3 and times 2 in turn
        ([3, -3, 5, -5, 7], -7),  # two sequences in turn
        ([10, 1, 9, 2, 8, 3, 7], 4),  # the same
        ([7, 1, 4, 7, 1, 4], 7),  # a period
    ],
)
def test_plain_rules_are_known(shown: list[int], following: int) -> None:
    """What follows by a rule that first comes to mind is among the continuations."""
    assert following in number_sequence.plain_continuations(shown)
    assert following in number_sequence.continuations(shown)


def test_a_first_term_may_stand_apart() -> None:
    """A rule that fits all terms but the first is among the continuations, too."""
    assert 24 in number_sequence.plain_continuations([0, 3, 6, 12])
    assert 5 in number_sequence.plain_continuations([7, 1, 2, 3, 4])


@pytest.mark.parametrize("level", LEVELS)
def test_no_sequence_repeats_terms_or_has_equal_steps(level: float | None) -> None:
    """The last four terms, the answer included, have no equal steps or ratios."""
    for entry in served(number_sequence.correct, "number_sequence", level, 100):
        a, b, c, answer = entry["metadata"]["sequence"][-4:]
        assert answer not in (a, b, c)
        assert len({b - a, c - b, answer - c}) > 1
        assert (b * b, c * c) != (a * c, b * answer)


def test_the_rule_that_is_named_makes_the_sequence() -> None:
    """It has as many operations as the library's, and each term follows from those before it."""
    entry = sequence("double then add previous", 1, 2, 5, 12, 29)
    for seed in range(100):
        result = number_sequence.correct({**entry, "seed": seed})
        assert result is not None
        rule, terms = result["metadata"]["rule"].split(" then "), result["metadata"]["sequence"]
        assert len(rule) == 2 and len(terms) > 4
        for place in range(1, len(terms)):
            assert number_sequence.next_term(rule, terms[:place]) == terms[place]


def test_sequences_that_grow_too_large_are_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """No term is larger than the largest; where each sequence has one, the problem is refused."""
    entry = sequence("double then add previous", 1, 2, 5, 12, 29)
    monkeypatch.setattr(number_sequence, "LARGEST", 40)
    shown = [number_sequence.correct({**entry, "seed": seed}) for seed in range(20)]
    assert max(abs(term) for each in shown if each for term in each["metadata"]["sequence"]) <= 40
    monkeypatch.setattr(number_sequence, "LARGEST", 0)
    assert number_sequence.correct(entry) is None


def test_longer_sequences_follow_the_library() -> None:
    """The terms that are added are those that the library would have added."""
    install()
    for seed in range(40):
        terms = {"min_terms": 8, "max_terms": 8, "max_complexity": 4}
        entry = create_dataset("number_sequence", seed=seed, size=1, **terms)[0]["metadata"]
        rule = entry["rule"].split(" then ")
        for place in range(1, 9):
            shown = entry["sequence"][:place]
            assert number_sequence.next_term(rule, shown) == entry["sequence"][place]
