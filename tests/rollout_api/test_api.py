"""rgenv/rollout_api/api.py: requests to the rollout API, through outages and restarts."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import pytest
import pytest_asyncio
from aiohttp import web
from aiohttp.test_utils import TestServer

from rgenv.errors import StartupError
from rgenv.rollout_api import api as rollout_api
from rgenv.rollout_api.api import (
    UNKNOWN,
    RolloutApi,
    batch_problems,
)
from rgenv.rollout_api.client import ApiAway, Refused, Sizes
from rgenv.runtime import backoff
from rgenv.runtime.backoff import REFUSALS
from tests.support.polling import until

REGISTERED = {
    "status": "success",
    "env_id": 7,
    "wandb_name": "run_0",
    "checkpoint_dir": "/c",
    "starting_step": 0,
    "checkpoint_interval": 5,
    "num_steps": 9,
}
NOWHERE = "http://127.0.0.1:9"
"""An address that nothing is asked at."""


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backoff, "LONGEST_PAUSE", 0.01)


def new_api(url: str = NOWHERE, *, patience: float = 60.0, **more: Any) -> RolloutApi:
    return RolloutApi(url, **{"patience": patience, "num_replicas": 1, **more})


def registered_api(url: str) -> RolloutApi:
    api = new_api(url)
    api.env_id = 4
    return api


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
    """No connection, timeouts and wrong answers count as an outage."""
    action = Action(OSError("refused"), TimeoutError(), ApiAway("a page"), ApiAway("HTTP 503", 503))
    assert await new_api().call(action, "Asking") == "done"
    assert action.calls == 5


async def test_a_request_that_the_api_refuses_is_repeated_a_few_times() -> None:
    """Then the run ends with the reason: it may be a proxy whose API restarts."""
    action = Action(*[Refused("/info answers HTTP 400 (no such thing).")] * 100)
    with pytest.raises(
        StartupError, match=r"refuses us: /info answers HTTP 400 \(no such thing\)\.$"
    ):
        await new_api().call(action, "Asking")
    assert action.calls == REFUSALS


class Served:
    """A small rollout API that records requests and sends scripted replies."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, Any]] = []
        self.replies: dict[str, Any] = {
            "/": "AtroposLib API Server",
            "/status-env": {"current_step": 3, "queue_size": 1, "env_weight": 1.0},
        }
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


async def test_the_start_requires_a_rollout_api(served: Served) -> None:
    """If another program answers at the address, the error names the remedy."""
    await new_api(served.url).require(60)
    served.replies["/"] = "welcome"
    with pytest.raises(StartupError, match=r"run-api --port \d+.*rollout_server_url"):
        await new_api(served.url).require(0)


async def test_waiting_for_the_trainer_is_said(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line until a trainer has registered, and one until it asks for its first batch."""
    monkeypatch.setattr(rollout_api, "TRAINER_SECONDS", 0.01)
    served.replies["/wandb_info"] = {"project": None, "group": None}
    served.replies["/register-env"] = {"status": "wait for trainer to start"}
    said: list[str] = []
    registering = asyncio.create_task(new_api(served.url, doing=noting(said)).register({"a": 1}))
    await until(lambda: len(served.asked) >= 4)
    assert said == [f"Waiting for a trainer to register with {served.url}"]
    served.replies["/wandb_info"] = {"project": "p", "group": None}
    await until(lambda: len(said) == 2)
    served.replies["/register-env"] = REGISTERED
    assert (await registering) == REGISTERED
    assert said[1:] == [f"Waiting for the trainer to ask {served.url} for its first batch"]
    assert served.asked[0] == ("/register-env", {"a": 1})


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


async def refreshed(api: RolloutApi, *, restarted: bool = False) -> int:
    """Ask for the status; return how often the environment registered again."""
    registered = Action()
    status = await api.refresh(step=4 if restarted else 3, register=registered)
    assert status["current_step"] == 3
    return registered.calls


async def test_an_api_that_does_not_know_the_environment_is_registered_with(
    served: Served,
) -> None:
    """After a few answers with status 500 the environment disconnects and registers again."""
    served.failures = UNKNOWN
    assert await refreshed(registered_api(served.url)) == 1
    paths = [path for path, _ in served.asked]
    assert paths == ["/status-env"] * UNKNOWN + ["/disconnect-env", "/status-env"]


async def test_an_api_that_restarts_often_is_registered_with_ever_more_rarely(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A step that goes back and forth once caused 71 registrations in 14 s; the log says why."""
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr(rollout_api.asyncio, "sleep", sleep)
    said: list[str] = []
    api = new_api(served.url, doing=noting(said))
    for _ in range(5):
        await refreshed(api, restarted=True)
    assert waited == [2, 4, 8, 16] and "before registering again" in said[0]


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
    batch, group, theirs, ours = sizes
    problems = list(batch_problems(Sizes(batch, theirs), group, ours))
    assert len(problems) == len(words)
    assert all(word in problem for word, problem in zip(words, problems, strict=True))
