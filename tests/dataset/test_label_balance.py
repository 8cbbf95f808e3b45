"""rgenv/dataset/filters.py: no label more often than others."""

import json
import random

import pytest

from rgenv.dataset.filters import LabelBalance


def served(balance: LabelBalance, dice: random.Random, share: float, items: int) -> list[str]:
    """The labels of a stream whose generator says yes with probability `share`."""
    out = []
    while len(out) < items:
        for _attempt in range(64):
            label = "yes" if dice.random() < share else "no"
            if not balance.too_many("t", label):
                break
        balance.served("t", label)
        out.append(label)
    return out


@pytest.mark.parametrize("share", [0.1, 0.5, 0.71, 0.9])
def test_no_label_comes_more_than_11_times_in_20(share: float) -> None:
    """Whatever the generator prefers, and wherever one looks."""
    labels = served(LabelBalance(), random.Random(1), share, 1000)
    counts = [labels[i : i + 20].count("yes") for i in range(981)]
    assert min(counts) >= 9 and max(counts) <= 11


def test_tasks_are_counted_apart_and_no_answer_is_no_label() -> None:
    """One task's labels say nothing about another's; where none is kept nothing is too many."""
    balance = LabelBalance()
    for _ in range(30):
        balance.served("a", "1")
        balance.served("c", None)
    assert balance.too_many("a", "1")
    assert not balance.too_many("b", "1") and not balance.too_many("c", None)


def test_a_generator_that_knows_one_label_only_is_not_stuck() -> None:
    """It is said to be too many, and served all the same when nothing else comes."""
    assert served(LabelBalance(), random.Random(1), 1.0, 50) == ["yes"] * 50


def test_a_balance_can_be_continued() -> None:
    """Through JSON, with the same judgements afterwards."""
    first = LabelBalance()
    for label in ["1"] * 11 + ["2"] * 5:
        first.served("a", label)
    second = LabelBalance()
    second.load_state_dict(json.loads(json.dumps(first.state_dict())))
    assert second.too_many("a", "1") and not second.too_many("a", "2")
    for balance in (first, second):
        for _ in range(4):
            balance.served("a", "2")
    assert first.state_dict() == second.state_dict()
    assert not second.too_many("a", "1")
