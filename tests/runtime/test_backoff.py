"""rgenv/runtime/backoff.py: pauses and patience."""

import time

import pytest

from rgenv.runtime.backoff import FIRST_PAUSE, LONGEST_PAUSE, Patience, pause


def test_pauses_double_up_to_a_bound() -> None:
    """The pause doubles with each failure and never exceeds LONGEST_PAUSE."""
    assert [pause(failures) for failures in (1, 2, 3)] == [
        FIRST_PAUSE,
        2 * FIRST_PAUSE,
        4 * FIRST_PAUSE,
    ]
    assert pause(9) == pause(10_000) == LONGEST_PAUSE


def test_patience_is_exhausted_after_its_time_without_success(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Time counts from the first failure; a success resets it."""
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    patience = Patience(60)
    assert (patience.failing_for, patience.exhausted) == (0, False)
    assert [patience.failed(), patience.failed()] == [1, 2]
    now = 160.0
    assert (patience.failing_for, patience.exhausted) == (60, False)
    now = 160.5
    assert patience.exhausted
    patience.worked()
    assert (patience.failing_for, patience.exhausted) == (0, False)
    assert patience.failed() == 1
