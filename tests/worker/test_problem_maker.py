"""rgenv/worker/problem_maker.py: recipes make problems, and problems score answers."""

import pytest

from rgenv.worker.problem_maker import MAX_ENTRIES, ProblemMaker


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
