"""rgenv/runtime/backoff.py: pauses and patience."""

import asyncio

import pytest

from rgenv.runtime import backoff
from rgenv.runtime.backoff import insist


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
