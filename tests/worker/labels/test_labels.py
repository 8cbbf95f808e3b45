"""rgenv/worker/labels/__init__.py: labels that the library gets wrong."""

import copy
import decimal
import re
from functools import cache
from typing import Any

import pytest
import reasoning_gym

from benchmarks.label_checks import CHECKS
from rgenv.worker.labels import CORRECTIONS, corrected

ITEMS = {"knight_swap": 2, "quantum_lock": 10, "polynomial_equations": 15}
"""Of the tasks whose items are slow to make; 60 of the others."""


@cache
def made(task: str) -> tuple[Any, list[dict[str, Any]]]:
    """A data set of the library and its entries, in the precision that Python starts with."""
    decimal.setcontext(decimal.Context())
    dataset = reasoning_gym.create_dataset(task, size=60, seed=0)
    return dataset, [dataset[index] for index in range(ITEMS.get(task, 60))]


def test_a_task_without_a_correction_keeps_its_entry() -> None:
    """What is not known to be wrong stays as the library made it."""
    entry = {"question": "?", "answer": "1", "metadata": {}}
    assert corrected("gcd", entry) is entry


@pytest.mark.parametrize("task", CORRECTIONS)
def test_labels_are_right_by_another_way_to_them(task: str) -> None:
    """After correction the independent check finds every label right."""
    entries = [corrected(task, entry) for entry in made(task)[1]]
    kept = [entry for entry in entries if entry is not None]
    assert kept and all(CHECKS[task](entry) is True for entry in kept)


@pytest.mark.parametrize("task", CORRECTIONS)
def test_the_library_pays_in_full_for_a_mended_answer(task: str) -> None:
    """What its scorer reads has been mended too."""
    dataset, entries = made(task)
    for entry in entries:
        mended = corrected(task, entry)
        if mended is not None and mended is not entry and mended["answer"] is not None:
            assert dataset.score_answer(mended["answer"], mended) == 1.0


@pytest.mark.parametrize("task", CORRECTIONS)
def test_mangled_entries_raise_nothing(task: str) -> None:
    """Whatever a generator hands over, the answer is an entry or None."""
    entry = made(task)[1][0]
    metadata = {key: None for key in entry["metadata"]}
    for mangled in (
        {},
        {**entry, "question": ""},
        {**entry, "question": entry["question"][::-1]},
        {**entry, "question": None},
        {**entry, "answer": None},
        {**entry, "answer": "\x00" * 9},
        {**entry, "metadata": {}},
        {**entry, "metadata": metadata},
        {**entry, "question": entry["question"][: len(entry["question"]) // 2]},
    ):
        result = corrected(task, mangled)
        assert result is None or set(result) == set(mangled)


@pytest.mark.parametrize("task", CORRECTIONS)
def test_the_library_s_own_entry_is_left_alone(task: str) -> None:
    """A correction gives a copy: what it was given is as before."""
    for entry in made(task)[1][:20]:
        before = copy.deepcopy(entry)
        corrected(task, entry)
        assert entry == before


WRONG = {
    "syllogism": lambda answer: "No" if answer == "Yes" else "Yes",
    "knights_knaves": lambda answer: re.sub(r" is an? \w+", " is a nobody", answer, count=1),
    "circuit_logic": lambda answer: str(1 - int(answer)),
    "course_schedule": lambda answer: str(answer != "True"),
    "isomorphic_strings": lambda answer: str(answer != "True"),
    "ransom_note": lambda answer: str(answer != "True"),
    "shortest_path": lambda answer: "up down" if answer == "infeasible" else "infeasible",
}


@pytest.mark.parametrize("task", WRONG)
def test_a_check_catches_a_wrong_label(task: str) -> None:
    """The checks that these tests lean on tell a wrong label from a right one."""
    right = [e for e in made(task)[1] if CHECKS[task](e) is True]
    assert right
    assert all(CHECKS[task]({**e, "answer": WRONG[task](e["answer"])}) is False for e in right)


def test_the_check_of_propositional_logic_catches_an_example_that_does_not_follow() -> None:
    """Its entries have no answer: the example in the metadata is what is checked."""
    question = "Given:\n1. (P ∨ Q)\n.2. ¬P\n.What can we conclude from the above statements?"
    for example, right in (("(Q ∨ P)", True), ("¬Q", False), ("(P ∨ ¬P)", False)):
        entry = {"question": question, "answer": None, "metadata": {"example_answer": example}}
        assert CHECKS["propositional_logic"](entry) is right


def test_a_path_that_is_longer_than_need_be_is_caught() -> None:
    """A detour reaches its end, and is no shortest path."""
    entry = {"question": "in the following grid:\n* O O\nO O #\n", "answer": "down right right"}
    assert CHECKS["shortest_path"](entry) is True
    longer = {**entry, "answer": "right left down right right"}
    assert CHECKS["shortest_path"](longer) is False
