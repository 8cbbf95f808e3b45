"""rgenv/atropos/rollout_api.py: requests to the rollout API, through outages and restarts."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import aiohttp
import pytest
import pytest_asyncio
from aiohttp import web
from aiohttp.test_utils import TestServer
from tenacity import Future, RetryError

from rgenv.atropos import rollout_api
from rgenv.atropos.rollout_api import (
    IN_TOUCH_SECONDS,
    STATUS_RATE,
    RolloutApi,
    batch_problems,
    http_status,
)
from rgenv.errors import StartupError
from rgenv.runtime import backoff
from tests.support.fakes import RolloutApi as FakeApi
from tests.support.polling import until

NOWHERE = "http://127.0.0.1:9"
"""An address that nothing is asked at."""


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backoff, "wait_random_exponential", lambda **_: lambda state: 0.01)


def new_api(url: str = NOWHERE, *, patience: float = 60.0, **more: Any) -> RolloutApi:
    return RolloutApi(url, **{"patience": patience, "num_replicas": 1, **more})


class ErrorStatus(Exception):
    """The exception of aiohttp for a reply with an HTTP error status."""

    def __init__(self, status: int) -> None:
        super().__init__(f"HTTP {status}")
        self.status = status


def after_retries(status: int | None) -> RetryError:
    """Return the exception that Atropos raises after several attempts; no status: no reply."""
    attempt = Future(3)
    attempt.set_exception(OSError("no route") if status is None else ErrorStatus(status))
    return RetryError(attempt)


class Action:
    """Raises the given errors in turn, then returns "done"."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.calls = 0

    async def __call__(self) -> str:
        self.calls += 1
        if self.errors:
            raise self.errors.pop(0)
        return "done"


async def test_a_call_is_repeated_until_the_api_answers() -> None:
    """No connection, timeouts, wrong pages and 5xx count as an outage."""
    action = Action(
        aiohttp.ClientConnectionError("refused"),
        TimeoutError(),
        KeyError("status"),
        after_retries(None),
        after_retries(503),
    )
    assert await new_api().call(action, "Asking") == "done"
    assert action.calls == 6


@pytest.mark.parametrize("status", [400, 404, 422])
async def test_a_request_that_the_api_refuses_is_not_repeated(status: int) -> None:
    """A 4xx status ends the run at once."""
    action = Action(after_retries(status))
    with pytest.raises(StartupError, match="refuses"):
        await new_api().call(action, "Asking")
    assert action.calls == 1


async def test_an_outage_that_outlasts_the_patience_ends_the_run() -> None:
    """The error names the request and its last failure."""
    action = Action(*[OSError("no route")] * 10_000)
    with pytest.raises(StartupError, match=r"Asking failed .*no route.* check the rollout API"):
        await new_api(patience=0.1).call(action, "Asking")
    assert action.calls > 1


async def test_other_errors_are_raised_at_once() -> None:
    """Exceptions that do not mean an outage are not retried."""
    action = Action(ZeroDivisionError())
    with pytest.raises(ZeroDivisionError):
        await new_api().call(action, "Asking")
    assert action.calls == 1


class Served:
    """A small rollout API that records requests and sends scripted replies."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, Any]] = []
        self.replies: dict[str, Any] = {"/": "AtroposLib API Server", "/wandb_info": None}
        self.failures = 0
        self.url = ""

    async def handle(self, request: web.Request) -> web.StreamResponse:
        content = await request.json() if request.can_read_body else None
        self.asked.append((request.path, content))
        if self.failures:
            self.failures -= 1
            return web.Response(status=500)
        return web.json_response(self.replies.get(request.path))


@pytest_asyncio.fixture(loop_scope="session")
async def served() -> AsyncIterator[Served]:
    """A server on a free port of this machine."""
    handler = Served()
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handler.handle)
    async with TestServer(app) as server:
        handler.url = str(server.make_url("")).rstrip("/")
        yield handler


async def test_the_environment_disconnects_with_its_number(served: Served) -> None:
    """One request is sent, whatever the API replies."""
    api = new_api(served.url, env_id=lambda: 4)
    for served.failures in (0, 1):
        await api.disconnect()
    assert served.asked == [("/disconnect-env", {"env_id": 4})] * 2


async def test_an_environment_without_a_number_does_not_disconnect(served: Served) -> None:
    """Without an id no request is sent."""
    await new_api(served.url, env_id=lambda: None).disconnect()
    assert served.asked == []


async def test_disconnecting_from_an_api_that_is_gone_is_no_error() -> None:
    """`disconnect` returns without an error if the API does not answer."""
    await new_api(env_id=lambda: 4).disconnect()


async def test_the_start_requires_a_rollout_api(served: Served) -> None:
    """If another program answers at the address, the error names the remedy."""
    await new_api(served.url).require(60)
    served.replies["/"] = "welcome"
    with pytest.raises(StartupError, match=r"run-api --port \d+.*rollout_server_url"):
        await new_api(served.url).require(0)


async def test_the_trainer_is_there_once_it_named_its_project(served: Served) -> None:
    """Failed requests are repeated, and a trainer that is there already gives no line."""
    served.replies["/wandb_info"] = {"project": "p", "group": None}
    served.failures = 2
    said: list[str] = []
    await new_api(served.url, doing=noting(said)).wait_for_trainer()
    assert len(served.asked) == 3 and said == []


async def test_waiting_for_the_trainer_is_said(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line until a trainer has registered, and one until it asks for its first batch."""
    monkeypatch.setattr(rollout_api, "TRAINER_SECONDS", 0.01)
    served.replies["/wandb_info"] = {"project": None, "group": None}
    said: list[str] = []
    answers = [{"status": "wait"}] * 3 + [{"status": "success", "env_id": 7}]
    asked: list[int] = []

    async def request() -> dict[str, Any]:
        asked.append(len(asked))
        return answers[len(asked) - 1]

    registering = asyncio.create_task(new_api(served.url, doing=noting(said)).register(request))
    await until(lambda: len(served.asked) >= 3)
    assert said == [f"Waiting for a trainer to register with {served.url}"]
    served.replies["/wandb_info"] = {"project": "p", "group": None}
    assert (await registering)["env_id"] == 7
    assert said[1:] == [f"Waiting for the trainer to ask {served.url} for its first batch"]
    assert len(asked) == 4


async def test_an_unanswered_request_is_measured(served: Served) -> None:
    """Seconds are counted while a request waits for its answer, and not after it."""
    api, release = new_api(served.url), asyncio.Event()
    assert api.silent_for == 0.0
    waiting = asyncio.create_task(api.call(release.wait, "Waiting"))
    await until(lambda: api.silent_for > 0.05)
    release.set()
    await waiting
    assert api.silent_for == 0.0


def noting(said: list[str]) -> Callable[[str], AbstractContextManager[None]]:
    """Return a `doing` that appends what it is told."""

    @contextlib.contextmanager
    def doing(what: str) -> Iterator[None]:
        said.append(what)
        yield

    return doing


async def refreshed(
    api: RolloutApi, ask: Callable[[], Awaitable[Any]], *, restarted: bool = False
) -> int:
    """Ask for the status; return how often the environment registered again."""
    registered = Action()
    await api.refresh_status(ask, registered, was_restarted=lambda: restarted)
    return registered.calls


async def test_a_status_of_the_same_api_is_taken(served: Served) -> None:
    """No other request is sent."""
    api = new_api(served.url, env_id=lambda: 4)
    assert await refreshed(api, Action()) == 0
    assert served.asked == []


async def test_an_api_that_does_not_know_the_environment_is_registered_with(
    served: Served,
) -> None:
    """After a 5xx reply the environment disconnects and registers again."""
    api = new_api(served.url, env_id=lambda: 4)
    ask = Action(after_retries(500))
    assert await refreshed(api, ask) == 1
    assert ask.calls == 1 and served.asked == [("/disconnect-env", {"env_id": 4})]


async def test_a_younger_api_is_registered_with() -> None:
    """If the API was restarted, the environment registers again."""
    assert await refreshed(new_api(), Action(), restarted=True) == 1


@pytest.mark.parametrize("status", [None, 502])
async def test_an_outage_while_registering_again_is_ridden_out(
    served: Served, status: int | None
) -> None:
    """After a failed registration the status is requested again."""
    api = new_api(served.url, env_id=lambda: 4)
    ask, register = Action(after_retries(500)), Action(after_retries(status))
    await api.refresh_status(ask, register, was_restarted=lambda: False)
    assert (ask.calls, register.calls) == (2, 1)


async def test_an_api_that_does_not_answer_is_waited_for() -> None:
    """Without a reply the status is requested again, and the environment does not register."""
    ask = Action(after_retries(None), after_retries(None))
    assert await refreshed(new_api(), ask) == 0
    assert ask.calls == 3


@pytest.mark.parametrize(("replicas", "interval"), [(1, 0.01), (16, 0.16), (1600, 16.0)])
async def test_replicas_share_the_rate_of_status_requests(
    monkeypatch: pytest.MonkeyPatch, replicas: int, interval: float
) -> None:
    """All replicas together ask STATUS_RATE times a second at most."""
    assert interval == replicas / STATUS_RATE
    now = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    api = new_api(num_replicas=replicas)
    assert api.status_is_due
    await refreshed(api, Action())
    assert not api.status_is_due
    now += 0.9 * interval
    assert not api.status_is_due
    now += 0.2 * interval
    assert api.status_is_due


async def test_an_api_that_answered_a_moment_ago_is_in_touch(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`in_touch` is True for IN_TOUCH_SECONDS after a reply."""
    now = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    api = new_api()
    assert not api.in_touch
    await refreshed(api, Action())
    now += 0.9 * IN_TOUCH_SECONDS
    assert api.in_touch
    now += 0.2 * IN_TOUCH_SECONDS
    assert not api.in_touch


@pytest.mark.parametrize(("status", "expected"), [(None, 0), (404, 404), (503, 503)])
def test_the_status_of_atropos_last_attempt_is_found(status: int | None, expected: int) -> None:
    """The status is 0 if there was no reply."""
    assert http_status(after_retries(status)) == expected


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        ((16, 4, 0, 4096), []),
        ((16, 4, 4097, 4096), []),
        ((16, 4, 4096, 4096), ["max_token_len"]),
        ((16, 5, -1, 4096), ["multiple of group_size 5"]),
        ((16, 5, 100, 4096), ["shorter than 100", "batch_size 16"]),
    ],
)
def test_settings_under_which_groups_are_lost_are_named(
    sizes: tuple[int, int, int, int], words: list[str]
) -> None:
    """There is one sentence for each unsuitable setting."""
    problems = list(batch_problems(*sizes))
    assert len(problems) == len(words)
    assert all(word in problem for word, problem in zip(words, problems, strict=True))


async def test_the_latest_group_is_known_by_its_id() -> None:
    """It is empty if the API has received none, or one of an environment without ids."""
    async with FakeApi() as fake:
        api = new_api(fake.url)
        assert await api.latest_group() == ""
        fake.taken.append({"tokens": [], "group_overrides": None})
        assert await api.latest_group() == ""
        fake.taken.append({"tokens": [], "group_overrides": {"group_id": "a"}})
        assert await api.latest_group() == "a"


async def test_a_program_that_is_no_rollout_api_is_named() -> None:
    """Its answer to a registration has no status."""

    async def request() -> Any:
        return None

    with pytest.raises(StartupError, match=r"answers a registration with None.*rollout_server_url"):
        await new_api().register(request)


async def test_an_error_of_our_own_is_no_outage() -> None:
    """Atropos wraps it like a failed request; another attempt would meet it again."""
    attempt = Future(3)
    attempt.set_exception(AttributeError("no such hook"))
    action = Action(RetryError(attempt))
    with pytest.raises(AttributeError, match="no such hook"):
        await new_api().call(action, "Asking")  # type: ignore[arg-type]
    assert action.calls == 1
