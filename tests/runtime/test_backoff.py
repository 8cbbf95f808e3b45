"""rgenv/runtime/backoff.py: pauses, patience, and attempts that end."""

import time

import pytest

from rgenv.runtime import backoff
from rgenv.runtime.backoff import FIRST_PAUSE, LONGEST_PAUSE, Patience, pause, retrying


@pytest.fixture
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the pauses of `retrying`."""
    monkeypatch.setattr(backoff, "wait_random_exponential", lambda **_: lambda _state: 0.0)


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


@pytest.mark.usefixtures("no_waiting")
async def test_attempts_continue_until_one_works(caplog: pytest.LogCaptureFixture) -> None:
    """Only the first of several failures is logged."""
    attempts = 0
    async for attempt in retrying(60, "Asking", on=(OSError,)):
        with attempt:
            attempts += 1
            if attempts < 4:
                raise OSError(f"failure {attempts}")
    assert attempts == 4
    [record] = caplog.records
    assert record.message == "Asking failed (OSError: failure 1); retrying for up to 60 s."


@pytest.mark.usefixtures("no_waiting")
async def test_the_last_failure_is_raised() -> None:
    """When the time is over, the exception of the last attempt is raised."""
    with pytest.raises(OSError, match="down"):
        async for attempt in retrying(0.0, "Asking", on=(OSError,)):
            with attempt:
                raise OSError("down")


@pytest.mark.usefixtures("no_waiting")
async def test_other_exceptions_are_raised_at_once(caplog: pytest.LogCaptureFixture) -> None:
    """An exception that is not in `on` ends the attempts and is not logged."""
    attempts = 0
    with pytest.raises(ValueError, match="a bug"):
        async for attempt in retrying(60, "Asking", on=(OSError,)):
            with attempt:
                attempts += 1
                raise ValueError("a bug")
    assert attempts == 1 and not caplog.records
