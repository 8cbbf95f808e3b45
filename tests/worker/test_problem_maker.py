"""rgenv/worker/problem_maker.py: recipes make problems, and problems score answers."""

from collections.abc import Iterator

import pytest

from rgenv.worker.guard import guard
from rgenv.worker.problem_maker import MAX_ENTRIES, ProblemMaker


@pytest.fixture(autouse=True)
def guarded() -> Iterator[None]:
    """Score behind the guard, as a worker does."""
    guard.install()
    yield
    guard.take_rejection()


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


def test_a_problem_with_an_empty_answer_is_not_winnable() -> None:
    """Some problems of `ab` have an empty answer, which no verifier accepts."""
    maker = ProblemMaker()
    by_answer = {
        bool(maker.make("ab", seed, {})["answer"]): maker.winnable("ab", seed, {})
        for seed in range(40)
    }
    assert by_answer == {True: True, False: False}
