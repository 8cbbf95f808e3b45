"""rgenv/runtime/backoff.py: pauses and patience."""

import asyncio
import time

import pytest

from rgenv.runtime import backoff
from rgenv.runtime.backoff import (
    ATTEMPTS,
    FIRST_PAUSE,
    LONGEST_PAUSE,
    REFUSALS,
    Pace,
    Patience,
    Unanswered,
    insist,
)


@pytest.fixture
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backoff, "LONGEST_PAUSE", 0.001)


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


def test_nothing_is_given_up_while_all_fails() -> None:
    """Each is asked again, after pauses that grow; after a success, they begin anew."""
    patience = Patience(60)
    pauses = [patience.failed(what) for _ in range(20) for what in ("a", "b", "c")]
    assert None not in pauses
    assert pauses == sorted(pauses) and (pauses[0], pauses[-1]) == (FIRST_PAUSE, LONGEST_PAUSE)
    patience.worked("a")
    assert patience.failed("b") == FIRST_PAUSE


def test_what_fails_while_others_work_is_given_up() -> None:
    """After ATTEMPTS failures; later its count starts at 0 again."""
    patience = Patience(60)
    for _ in range(2):
        answers = []
        for _ in range(ATTEMPTS):
            answers.append(patience.failed("bad"))
            patience.worked("good")
        assert answers[:-1].count(None) == 0 and answers[-1] is None


class Attempt:
    """Raises the given errors in turn, then returns "done"; None hangs."""

    def __init__(self, *errors: BaseException | None) -> None:
        self.errors = list(errors)
        self.before: list[int] = []

    async def __call__(self, before: int) -> str:
        self.before.append(before)
        if self.errors:
            if (error := self.errors.pop(0)) is None:
                await asyncio.Event().wait()
            else:
                raise error
        return "done"


@pytest.mark.usefixtures("no_waiting")
async def test_attempts_continue_until_one_works(caplog: pytest.LogCaptureFixture) -> None:
    attempt = Attempt(*(OSError(f"failure {number}") for number in (1, 2, 3)))
    assert await insist(attempt, seconds=60, doing="Asking", on=(OSError,)) == "done"
    assert attempt.before == [0, 1, 2, 3]
    [record] = caplog.records
    assert record.message == "Asking failed (OSError: failure 1); retrying for up to 60 s."


@pytest.mark.usefixtures("no_waiting")
async def test_an_attempt_that_hangs_does_not_stop_the_clock() -> None:
    """The time counts for all attempts together; what failed before is raised."""
    began = time.monotonic()
    with pytest.raises(OSError, match="down"):
        await insist(Attempt(OSError("down"), None), seconds=0.2, doing="Asking", on=(OSError,))
    with pytest.raises(TimeoutError, match=r"no answer within 0\.2 s"):
        await insist(Attempt(None), seconds=0.2, doing="Asking", on=(OSError,))
    assert time.monotonic() - began < 5


@pytest.mark.usefixtures("no_waiting")
async def test_a_refusal_is_believed_after_a_few_attempts() -> None:
    """Refusals in a row count; one between failures may be that of a proxy."""
    refusal = KeyError("no")
    attempt = Attempt(*[refusal] * 100)
    with pytest.raises(KeyError):
        await insist(attempt, seconds=60, doing="Asking", on=(OSError,), few=(KeyError,))
    assert len(attempt.before) == REFUSALS
    mixed = Attempt(*[refusal, OSError("away")] * 10)
    assert await insist(mixed, seconds=60, doing="A", on=(OSError,), few=(KeyError,)) == "done"


@pytest.mark.usefixtures("no_waiting")
async def test_an_exception_of_a_kind_that_is_never_retried_is_raised_at_once() -> None:
    """Although others of its base class are retried."""
    attempt = Attempt(FileNotFoundError("no"))
    with pytest.raises(FileNotFoundError):
        await insist(attempt, few=(OSError,), never=(FileNotFoundError,))
    assert attempt.before == [0]


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
