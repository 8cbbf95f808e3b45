"""rgenv/rollouts/retry.py: which items are asked again."""

import time

import pytest

from rgenv.rollouts.retry import ATTEMPTS, RetryPolicy
from rgenv.runtime.backoff import LONGEST_PAUSE


def test_a_server_that_is_away_blames_no_item() -> None:
    """However often everything fails, every item is asked again, after longer and longer pauses."""
    retries = RetryPolicy(60)
    pauses = [retries.failed(item) for _ in range(20) for item in ("a", "b", "c")]
    assert None not in pauses
    assert pauses == sorted(pauses) and pauses[0] < 1 and pauses[-1] == LONGEST_PAUSE


def test_an_item_that_fails_while_others_work_is_given_up() -> None:
    """After a few attempts; and should it come up later, it has all of them again."""
    retries = RetryPolicy(60)
    for _ in range(2):
        answers = []
        for _ in range(ATTEMPTS):
            answers.append(retries.failed("bad"))
            retries.worked("good")
        assert answers[:-1].count(None) == 0 and answers[-1] is None


def test_success_starts_the_pauses_again() -> None:
    """A server that is back is asked at once."""
    retries = RetryPolicy(60)
    first = retries.failed("a")
    for _ in range(5):
        retries.failed("a")
    retries.worked("a")
    assert retries.failed("b") == first


def test_how_long_nothing_worked_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time counts from the first failure after the last success."""
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    retries = RetryPolicy(60)
    assert retries.failing_for == 0
    retries.failed("a")
    now = 130.0
    retries.failed("b")
    assert retries.failing_for == 30
    retries.worked("c")
    assert retries.failing_for == 0
