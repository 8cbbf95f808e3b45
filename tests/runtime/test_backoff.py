"""rgenv/runtime/backoff.py: pauses and patience."""

import time

import pytest

from rgenv.runtime import backoff
from rgenv.runtime.backoff import Pace, Patience, Unanswered, insist


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


async def test_an_attempt_knows_how_many_came_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """tests/rollout_api has what ends the attempts."""
    monkeypatch.setattr(backoff, "LONGEST_PAUSE", 0.001)
    seen: list[int] = []

    async def attempt(before: int) -> None:
        seen.append(before)
        if before < 2:
            raise OSError

    await insist(attempt, on=(OSError,))
    assert seen == [0, 1, 2]


def test_what_happens_often_happens_ever_more_slowly(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first time is at once; after a calm while, it is the first time again."""
    now = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    pace = Pace()
    assert [pace.pause() for _ in range(8)] == [0, 2, 4, 8, 16, 32, 60, 60]
    now += 700
    assert pace.pause() == 0


def test_time_without_an_answer_counts_while_requests_are_under_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A request that fails is no answer, and a pause between requests takes no time."""
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    unanswered = Unanswered()
    for _ in range(2):
        with pytest.raises(OSError), unanswered.request():
            now += 10
            raise OSError
        now += 1000
    assert unanswered.seconds == 20
    with unanswered.request():
        now += 5
        assert unanswered.seconds == 25
    assert unanswered.seconds == 0
