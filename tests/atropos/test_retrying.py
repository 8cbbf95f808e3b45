"""rgenv/atropos/retrying.py: attempts that end."""

import pytest

from rgenv.atropos import retrying as retrying_module
from rgenv.atropos.retrying import retrying


@pytest.fixture
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the pauses of `retrying`."""
    monkeypatch.setattr(retrying_module, "wait_random_exponential", lambda **_: lambda _state: 0.0)


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
