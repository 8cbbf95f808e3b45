"""rgenv/runtime/backoff.py: pauses and patience."""

import asyncio
import time

import pytest

from rgenv.runtime import backoff
from rgenv.runtime.backoff import Patience, insist


def test_patience_is_exhausted_after_its_time_without_success(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Time counts from the first failure, whatever failed; a success resets it."""
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    patience = Patience(60)
    assert (patience.failing_for, patience.exhausted) == (0, False)
    patience.failed("a")
    now = 160.0
    patience.failed("b")
    assert (patience.failing_for, patience.exhausted) == (60, False)
    now = 160.5
    assert patience.exhausted
    patience.worked("c")
    assert (patience.failing_for, patience.exhausted) == (0, False)


async def test_attempts_end_with_the_last_error_or_the_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """tests/rollout_api has refusals."""
    monkeypatch.setattr(backoff, "LONGEST_PAUSE", 0.001)
    failures = [OSError("first"), OSError("last")]

    async def attempt() -> str:
        if failures:
            raise failures.pop(0)
        await asyncio.sleep(60)
        return "late"

    with pytest.raises(OSError, match="last"):
        await insist(attempt, on=(OSError,), seconds=2, doing="it")
    with pytest.raises(TimeoutError, match="no answer within"):
        await insist(attempt, on=(OSError,), seconds=0.1, doing="it")
    failures.append(ValueError("other"))
    with pytest.raises(ValueError, match="other"):
        await insist(attempt, on=(OSError,), seconds=60, doing="it")
