"""rgenv/worker/problem_maker.py: recipes make problems, and problems score answers."""

from collections.abc import Iterator

import pytest
import reasoning_gym

from rgenv.worker.guard import guard
from rgenv.worker.problem_maker import MAX_ENTRIES, ProblemMaker


@pytest.fixture(autouse=True)
def guarded() -> Iterator[None]:
    """Score behind the guard, as a worker does."""
    guard.install()
    yield
    guard.take_rejection()


def score(maker: ProblemMaker, task: str, seed: int, answer: str) -> float:
    """Make a problem and score one answer to it."""
    entry = maker.make(task, seed, {})
    return maker.score(task, maker.dataset(task, seed, {}), entry, answer)


def test_a_recipe_made_again_is_the_same_entry_until_it_is_evicted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Recently used entries are kept, and an evicted one is made again with an equal result."""
    assert MAX_ENTRIES > 1
    monkeypatch.setattr("rgenv.worker.problem_maker.MAX_ENTRIES", 2)
    maker = ProblemMaker()
    first = maker.make("gcd", 1, {})
    maker.make("gcd", 2, {})
    assert maker.make("gcd", 1, {}) is first
    maker.make("gcd", 3, {})
    assert maker.make("gcd", 1, {}) is first
    maker.make("gcd", 4, {})
    maker.make("gcd", 5, {})
    assert maker.make("gcd", 1, {}) is not first
    assert maker.make("gcd", 1, {}) == first


def test_only_a_strict_maker_corrects_reference_answers() -> None:
    """The sign of some powers is another one."""
    strict, library = (
        [maker.make("power_function", seed, {})["answer"] for seed in range(40)]
        for maker in (ProblemMaker(), ProblemMaker(strict=False))
    )
    assert strict != library


def test_only_a_strict_maker_uses_our_verifiers() -> None:
    """The library gives a constant answer to puzzle24 full marks, our verifier does not."""
    answer = "24"
    assert score(ProblemMaker(strict=False), "puzzle24", 0, answer) > 0.0
    assert score(ProblemMaker(), "puzzle24", 0, answer) == 0.0


def test_a_problem_with_an_empty_answer_is_not_winnable() -> None:
    """Some problems of `ab` have an empty answer, which no verifier accepts."""
    maker = ProblemMaker()
    by_answer = {
        bool(maker.make("ab", seed, {})["answer"]): maker.winnable("ab", seed, {})
        for seed in range(40)
    }
    assert by_answer == {True: True, False: False}


@pytest.mark.parametrize("task", ["gcd", "maze", "syllogism", "word_sorting", "zebra_puzzles"])
def test_without_corrections_a_seed_is_that_of_the_library(task: str) -> None:
    """(task, seed) is ``create_dataset(task, size=1, seed=seed)[0]``."""
    theirs = reasoning_gym.create_dataset(task, size=1, seed=11)[0]
    ours = ProblemMaker(strict=False).make(task, 11, {})
    assert (ours["question"], ours["answer"]) == (theirs["question"], theirs["answer"])
