"""rgenv/rollouts/retry.py: which problems are asked again."""

import time

import pytest

from rgenv.rollouts.retry import ATTEMPTS, RetryPolicy
from rgenv.runtime.backoff import LONGEST_PAUSE


def test_no_problem_is_given_up_while_the_server_is_down() -> None:
    """If all problems fail, each is asked again, after pauses that grow."""
    retries = RetryPolicy(60)
    pauses = [retries.failed(problem) for _ in range(20) for problem in ("a", "b", "c")]
    assert None not in pauses
    assert pauses == sorted(pauses) and pauses[0] < 1 and pauses[-1] == LONGEST_PAUSE


def test_a_problem_that_fails_while_others_work_is_given_up() -> None:
    """A problem is given up after ATTEMPTS failures; later its count starts at 0 again."""
    retries = RetryPolicy(60)
    for _ in range(2):
        answers = []
        for _ in range(ATTEMPTS):
            answers.append(retries.failed("bad"))
            retries.worked("good")
        assert answers[:-1].count(None) == 0 and answers[-1] is None


def test_a_success_resets_the_pauses() -> None:
    """The first failure after a success has the first pause."""
    retries = RetryPolicy(60)
    first = retries.failed("a")
    for _ in range(5):
        retries.failed("a")
    retries.worked("a")
    assert retries.failed("b") == first


def test_the_time_without_a_success_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time counts from the first failure after the last success, up to the patience."""
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    retries = RetryPolicy(60)
    assert retries.failing_for == 0 and not retries.exhausted
    retries.failed("a")
    now = 130.0
    retries.failed("b")
    assert retries.failing_for == 30 and not retries.exhausted
    now = 161.0
    assert retries.exhausted
    retries.worked("c")
    assert retries.failing_for == 0
