"""rgenv/runtime/backoff.py: pauses and patience."""

import asyncio
import time

import pytest

from rgenv.runtime import backoff
from rgenv.runtime.backoff import Patience, insist


def test_patience_is_exhausted_after_its_time_without_success(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock, patience, found = [0.0], Patience(60), []
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    tell = [patience.failed] * 3 + [patience.worked]
    for now, what in zip((100.0, 160.0, 160.5, 161.0), tell, strict=True):
        clock[0] = now
        what("it")
        found.append((patience.failing_for, patience.exhausted))
    assert found == [(0, False), (60, False), (60.5, True), (0, False)]


async def test_attempts_end_with_the_last_error_or_the_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
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
