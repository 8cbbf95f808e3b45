"""Every correction against an independent check."""

import copy
import decimal
import re
from functools import cache
from typing import Any

import pytest
import reasoning_gym

from benchmarks.label_checks import CHECKS
from rgenv.worker.problem_maker import corrected
from tests.support.records import CORRECTIONS

ENTRIES = {"knight_swap": 2, "quantum_lock": 10, "polynomial_equations": 15}
"""Number of entries of tasks whose entries are slow to make; 60 for the others."""


@cache
def made(task: str) -> tuple[Any, list[dict[str, Any]]]:
    """Return a data set of the library and its entries, made with Python's default precision."""
    decimal.setcontext(decimal.Context())
    dataset = reasoning_gym.create_dataset(task, size=60, seed=0)
    return dataset, [dataset[index] for index in range(ENTRIES.get(task, 60))]


def test_a_task_without_a_correction_keeps_its_entry() -> None:
    """An entry of a task without a correction is returned as it is."""
    entry = {"question": "?", "answer": "1", "metadata": {}}
    assert corrected("lcm", entry) is entry


CHECKED_ELSEWHERE = {
    "codeio",
    "figlet_font",
    "intermediate_integration",
    "letter_counting",
    "number_sequence",
    "rubiks_cube",
}
"""Tasks whose corrections the test files of their modules check."""


@pytest.mark.parametrize("task", sorted(set(CORRECTIONS) - CHECKED_ELSEWHERE))
def test_corrected_answers_pass_the_independent_check(task: str) -> None:
    """The independent check finds every corrected reference answer right."""
    entries = [corrected(task, entry) for entry in made(task)[1]]
    kept = [entry for entry in entries if entry is not None]
    assert kept and all(CHECKS[task](entry) is True for entry in kept)


@pytest.mark.parametrize("task", CORRECTIONS)
def test_the_library_gives_a_corrected_answer_full_score(task: str) -> None:
    """A correction also changes the metadata that the library's verifier reads."""
    dataset, entries = made(task)
    for entry in entries:
        result = corrected(task, entry)
        if result is not None and result is not entry and result["answer"] is not None:
            assert dataset.score_answer(result["answer"], result) == 1.0


@pytest.mark.parametrize("task", CORRECTIONS)
def test_a_malformed_entry_raises_nothing(task: str) -> None:
    """Correcting a malformed entry gives an entry or None."""
    entry = made(task)[1][0]
    metadata = {key: None for key in entry["metadata"]}
    for malformed in (
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
        result = corrected(task, malformed)
        assert result is None or set(result) == set(malformed)


@pytest.mark.parametrize("task", CORRECTIONS)
def test_a_correction_leaves_its_argument_unchanged(task: str) -> None:
    """A correction returns a copy and does not change the entry that it was given."""
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
def test_an_independent_check_rejects_a_wrong_answer(task: str) -> None:
    """The checks that the other tests rely on reject a changed reference answer."""
    right = [e for e in made(task)[1] if CHECKS[task](e) is True]
    assert right
    assert all(CHECKS[task]({**e, "answer": WRONG[task](e["answer"])}) is False for e in right)


def test_the_check_of_propositional_logic_rejects_a_wrong_example() -> None:
    """An example conclusion must follow from the premises and say something."""
    question = "Given:\n1. (P ∨ Q)\n.2. ¬P\n.What can we conclude from the above statements?"
    for example, right in (("(Q ∨ P)", True), ("¬Q", False), ("(P ∨ ¬P)", False)):
        entry = {"question": question, "answer": None, "metadata": {"example_answer": example}}
        assert CHECKS["propositional_logic"](entry) is right


def test_the_check_of_shortest_path_rejects_a_detour() -> None:
    """A path that reaches the goal but is not the shortest is wrong."""
    entry = {"question": "in the following grid:\n* O O\nO O #\n", "answer": "down right right"}
    assert CHECKS["shortest_path"](entry) is True
    longer = {**entry, "answer": "right left down right right"}
    assert CHECKS["shortest_path"](longer) is False
