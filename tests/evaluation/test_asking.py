import asyncio
import contextlib
import itertools
import time
from typing import Any

import pytest

from rgenv.errors import InferenceUnavailable, RateLimited, RequestFailed, RequestRefused
from rgenv.evaluation import asking
from rgenv.evaluation.asking import Asking
from rgenv.types import Problem, Reply
from tests.support.polling import settle
from tests.support.rollouts import problem

pytestmark = pytest.mark.usefixtures("short_pauses")

PROBLEM = problem()
ANSWER = Reply([], "<answer>1</answer>", "stop", 3)


class Server:
    """Does what its plan says, and then the last thing of it again and again."""

    def __init__(self, *plan: Exception | Reply) -> None:
        self.plan = itertools.chain(plan, itertools.repeat(plan[-1]))
        self.asked = 0

    async def ask(self, _problem: Problem) -> Reply:
        self.asked += 1
        await asyncio.sleep(0)
        found = next(self.plan)
        if isinstance(found, Exception):
            raise found
        return found


def refused(*, final: bool = False) -> RequestRefused:
    return RequestRefused("http://h/v1 refuses requests (no such parameter).", final=final)


async def never() -> bool:
    return False


def new(ask: Any, is_answering: Any = never, *, first: float = 60, **more: Any) -> Asking:
    return Asking(ask, is_answering, patience=60, first_patience=first, **more)


@pytest.mark.parametrize("before", [True, False])
async def test_where_others_are_answered_a_refusal_concerns_its_sample(before: bool) -> None:
    """A prompt may be too long for the model; that ends no run."""
    server = Server(refused()) if before else Server(ANSWER, refused())
    asks = new(server.ask, answered=before)
    if not before:
        await asks.reply("answered", PROBLEM)
    for number in range(30):
        with pytest.raises(RequestRefused):
            await asks.reply(str(number), PROBLEM)
    asks.require_an_answer()


async def test_a_run_of_few_refused_samples_ends_with_the_reason() -> None:
    asks = new(Server(refused()).ask)
    with pytest.raises(RequestRefused):
        await asks.reply("a", PROBLEM)
    with pytest.raises(InferenceUnavailable, match="no such parameter"):
        asks.require_an_answer()
    new(Server(ANSWER).ask).require_an_answer()


@pytest.mark.parametrize(
    ("error", "asked"),
    [
        (RequestFailed("http://h/v1 fails with status 500"), 3),
        (ConnectionError("reset"), 3),
        (RateLimited("limit"), 9),
    ],
)
async def test_a_sample_that_fails_while_others_work(error: Exception, asked: int) -> None:
    """After three failures it is given up, unless it meets a limit of requests: then it waits."""
    working, failing = Server(ANSWER), Server(*[error] * 8, ANSWER)
    asks = new(lambda problem: (failing if problem.seed == 1 else working).ask(problem))

    async def others() -> None:
        while True:
            await asks.reply("other", PROBLEM)

    background = asyncio.create_task(others())
    await settle()
    with contextlib.suppress(RequestFailed, ConnectionError):
        assert await asks.reply("bad", problem(1)) is ANSWER
    background.cancel()
    assert failing.asked == asked


async def test_samples_above_a_limit_of_requests_wait_as_long_as_the_server_says() -> None:
    """Then one at a time tries: where refused requests count, all at once would never be answered.
    The first answer may be later than the patience of the start."""
    asked: list[float] = []

    async def ask(_problem: Problem) -> Reply:
        now = time.monotonic()
        asked.append(now)
        if sum(now - 0.3 < moment for moment in asked) > 10:
            raise RateLimited("limit", wait=0.35)
        return ANSWER

    asks = new(ask, first=0.1)
    found = await asyncio.gather(*(asks.reply(str(n), PROBLEM) for n in range(50)))
    assert found == [ANSWER] * 50 and len(asked) < 250


async def test_a_server_that_says_to_wait_for_a_day_is_not_waited_for() -> None:
    asks = Asking(
        Server(RateLimited("limit", wait=86400)).ask, never, patience=0.1, first_patience=9
    )
    async with asyncio.timeout(60):
        with pytest.raises(RateLimited):
            await asks.reply("a", PROBLEM)


async def test_samples_that_fail_are_given_up_once_what_was_answered_is_answered_again() -> None:
    """No other one need be under way, and however many they are."""
    server = Server(RequestFailed("http://h/v1 answers with status 500"))
    answering = asyncio.Event()

    async def is_answering() -> bool:
        return answering.is_set()

    asks = new(server.ask, is_answering)
    names = map(str, range(2 * asking.GIVE_UP_AFTER))
    last = [asyncio.create_task(asks.reply(name, PROBLEM)) for name in names]
    await asyncio.wait(last, timeout=0.5)
    assert not any(one.done() for one in last)
    assert "of at most 60 s, http://h/v1 answers with status 500" in asks.status
    answering.set()
    async with asyncio.timeout(60):
        found = await asyncio.gather(*last, return_exceptions=True)
    assert {type(error) for error in found} == {RequestFailed}


async def test_a_server_that_answers_nothing_ends_the_run() -> None:
    asks = new(Server(ConnectionError("away")).ask, first=0.1)
    names = map(str, range(asking.GIVE_UP_AFTER))
    found = await asyncio.gather(
        *(asks.reply(name, PROBLEM) for name in names), return_exceptions=True
    )
    ends = [error for error in found if isinstance(error, InferenceUnavailable)]
    assert ends and str(ends[0]) == (
        "No request was answered for 0.1 s: ConnectionError: away. Check the server and "
        "--openai.base_url."
    )


async def test_a_problem_that_cannot_be_asked_says_nothing_about_the_server() -> None:
    server = Server(ValueError("no room"))
    asks = new(server.ask)
    with pytest.raises(ValueError, match="no room"):
        await asks.reply("a", PROBLEM)
    assert server.asked == 1 and asks.status.startswith("no answer yet; --openai.timeout")
    asks.require_an_answer()


@pytest.mark.parametrize(("final", "refusals"), [(True, 4), (False, 2)])
async def test_a_server_that_begins_to_refuse_everything_ends_the_run(
    final: bool, refusals: int
) -> None:
    """As one whose key was withdrawn: nobody is answered while one sample is asked five times.
    A few refusals may be a proxy's; the same sample is asked again."""
    server = Server(ANSWER, *[refused(final=final)] * refusals, ANSWER, refused(final=True))
    asks = new(server.ask)
    for name in ("a", "b"):
        assert await asks.reply(name, PROBLEM) is ANSWER
    assert server.asked == refusals + 2
    with pytest.raises(InferenceUnavailable, match="the same command goes on from there"):
        await asks.reply("c", PROBLEM)
