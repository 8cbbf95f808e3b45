"""The fast searches return what the library's return."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from reasoning_gym import create_dataset
from reasoning_gym.arithmetic.basic_arithmetic import find_common_divisors

from rgenv.tasks.arithmetic import basic_arithmetic
from rgenv.worker.faster import replacements
from tests.support.records import REPLACEMENTS

CONFIGS: list[tuple[str, dict[str, Any]]] = [
    ("basic_arithmetic", {}),
    ("basic_arithmetic", {"min_terms": 5, "max_terms": 6, "max_digits": 2}),
    ("puzzle24", {}),
    ("puzzle24", {"min_value": 1, "max_value": 6}),
    ("quantum_lock", {"difficulty": 2}),
    ("quantum_lock", {}),
    ("number_sequence", {"max_terms": 6}),
    ("number_sequence", {"max_complexity": 6}),
]


def problems(task: str, config: dict[str, Any], count: int) -> Iterator[str]:
    """Yield entries of `task` as text, with small and large seeds."""
    for seed in range(count):
        yield repr(create_dataset(task, size=1, seed=seed * 2**49 + seed, **config)[0])


def install(patch: pytest.MonkeyPatch) -> None:
    """Install the replacements until the end of the test."""
    tasks = ("basic_arithmetic", "puzzle24", "quantum_lock", "number_sequence")
    ours = [new for task in tasks for new in REPLACEMENTS[task].values()]
    for owner, name, replacement in replacements():
        if replacement in ours:
            patch.setattr(owner, name, replacement)


@pytest.mark.parametrize(("task", "config"), CONFIGS)
def test_problems_are_identical(
    task: str, config: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Question, answer and metadata are equal to the last character."""
    before = list(problems(task, config, 5))
    install(monkeypatch)
    assert list(problems(task, config, 5)) == before


def test_a_sequence_of_squares_is_discarded_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seed 3123 makes numbers of millions of digits in the library."""
    install(monkeypatch)
    began = time.process_time()
    entry = create_dataset("number_sequence", size=1, seed=3123)[0]
    assert entry["question"].startswith("0, 2, 4, 6, ?") and entry["answer"] == "8"
    assert time.process_time() - began < 1.0


def test_divisors_of_large_numbers_are_found_at_once() -> None:
    """The library tries all numbers up to 1,307,187,760 for this one."""
    began = time.process_time()
    found = basic_arithmetic.common_divisors(1708739841118495500, 0)
    assert found[:4] == [1, 1708739841118495500, 2, 854369920559247750]
    assert time.process_time() - began < 1.0


@pytest.mark.parametrize(("a", "b"), [(0, 0), (0, 36), (-36, 24), (97, 0), (7, 12)])
def test_divisors_are_those_of_the_library(a: int, b: int) -> None:
    """The order is the same, too."""
    assert basic_arithmetic.common_divisors(a, b) == find_common_divisors(a, b)


@pytest.mark.soak
@pytest.mark.parametrize(
    ("task", "config"),
    [
        *CONFIGS,
        ("puzzle24", {"min_value": 6, "max_value": 10}),
        ("quantum_lock", {"difficulty": 24}),
    ],
)
def test_many_problems_are_identical(
    task: str, config: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Question, answer and metadata are equal with more seeds and rarer numbers."""
    before = list(problems(task, config, 60))
    install(monkeypatch)
    assert list(problems(task, config, 60)) == before
