"""rgenv/worker/trial.py: a sound task has no fault; test_own_tasks.py has those of others."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rgenv.worker.guard import guard
from rgenv.worker.trial import fault


@pytest.fixture(autouse=True)
def guarded() -> Iterator[None]:
    """Score behind the guard, as a worker does."""
    guard.install()
    yield
    guard.take_rejection()


@pytest.mark.parametrize("task", ["gcd", "maze", "rotten_oranges", "polynomial_multiplication"])
def test_a_task_of_the_library_is_sound(task: str) -> None:
    """Also those whose answers are text, and whose record has much or nothing."""
    assert [fault(task, level) for level in (None, 0.0, 1.0)] == [None, None, None]


def test_a_task_that_does_not_exist_is_not() -> None:
    """Its generator fails."""
    assert fault("no_such_task", None) is not None
