"""rgenv/atropos/rollout_api.py: requests to the rollout API, through outages and restarts."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import pytest
import pytest_asyncio

from rgenv.atropos import rollout_api
from rgenv.atropos.api_client import Refused, Sizes
from rgenv.atropos.rollout_api import RolloutApi, batch_problems
from rgenv.errors import StartupError
from rgenv.runtime.backoff import REFUSALS
from tests.support.failures import SLOW, failing
from tests.support.fakes import RolloutApi as FakeApi
from tests.support.polling import until

pytestmark = pytest.mark.usefixtures("short_pauses")


def new_api(url: str = "http://nowhere", **more: Any) -> RolloutApi:
    return RolloutApi(url, **{"patience": 60.0, "num_replicas": 1, **more})


def registered_api(url: str) -> RolloutApi:
    api = new_api(url)
    api.client.env_id = 4
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


@pytest_asyncio.fixture(loop_scope="session")
async def served() -> AsyncIterator[FakeApi]:
    """A rollout API on a free port, at step 3."""
    async with FakeApi() as api:
        api.status["current_step"] = 3
        yield api


async def test_a_request_that_the_api_refuses_is_repeated_a_few_times(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Then the run ends with the reason: it may be a proxy whose API restarts.

    Refusals in a row count, and failures are repeated for as long as the patience.
    """
    refusal, away = Refused("/info answers HTTP 400 (no such thing)."), OSError("away")
    assert await new_api().call(Action(*[refusal, away] * 10), "Asking") == "done"
    assert caplog.messages == [f"Asking failed (Refused: {refusal}); retrying for up to 60 s."]
    impatient = new_api(patience=0.05)
    with pytest.raises(
        StartupError, match=r"Asking failed \(OSError: away\): check the rollout API"
    ):
        await impatient.call(Action(*[away] * 1000), "Asking")
    action = Action(*[refusal] * 100)
    with pytest.raises(
        StartupError, match=r"refuses us: /info answers HTTP 400 \(no such thing\)\.$"
    ):
        await new_api().call(action, "Asking")
    assert action.calls == REFUSALS


async def test_the_start_requires_a_rollout_api(served: FakeApi) -> None:
    """If another program answers at the address, the error names the remedy."""
    await new_api(served.url).require(60)
    async with FakeApi(failing("/", "a web page")) as other:
        with pytest.raises(StartupError, match=r"run-api --port \d+.*rollout_server_url"):
            await new_api(other.url).require(0)


async def test_waiting_for_the_trainer_is_said(
    served: FakeApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line until a trainer has registered, and one until it asks for its first batch."""
    monkeypatch.setattr(rollout_api, "TRAINER_SECONDS", 0.01)
    wait, registered = {"status": "wait for trainer to start"}, served.registration
    served.has_trainer, served.registration = False, wait
    said: list[str] = []
    registering = asyncio.create_task(new_api(served.url, doing=noting(said)).register({"a": 1}))
    await until(lambda: len(served.asked) >= 4)
    assert said == [f"Waiting for a trainer to register with {served.url}"]
    served.has_trainer = True
    await until(lambda: len(said) == 2)
    served.registration = registered
    assert (await registering) == registered
    assert said[1:] == [f"Waiting for the trainer to ask {served.url} for its first batch"]


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
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """After a few answers with status 500 the environment disconnects and registers again."""
    monkeypatch.setattr(rollout_api, "TRAINER_SECONDS", 0.01)
    async with FakeApi(failing("/status-env", "status 500", times=REFUSALS)) as served:
        served.status["current_step"] = 3
        assert await refreshed(registered_api(served.url)) == 1
        assert await refreshed(registered_api(served.url), restarted=True) == 1
    assert served.asked[:2] == ["disconnect-env", "status-env"], "after the answers with status 500"


@pytest.mark.parametrize("name", SLOW)
async def test_an_answer_that_takes_for_ever_uses_up_the_patience(name: str) -> None:
    """However many bytes come meanwhile; the sentence has the page."""
    async with FakeApi(failing("/status-env", name)) as served:
        async with asyncio.timeout(60):
            with pytest.raises(StartupError, match=r"no answer within 0\.3 s"):
                await new_api(served.url, patience=0.3).refresh(step=3, register=Action())


@pytest.mark.parametrize("name", ["no answer", "status 400"])
async def test_leaving_asks_nothing_of_the_api(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Whatever it answers, the end of the run goes on."""
    monkeypatch.setattr(rollout_api, "DISCONNECT_SECONDS", 0.3)
    async with FakeApi(failing("/disconnect-env", name)) as served:
        api = registered_api(served.url)
        async with asyncio.timeout(60):
            await api.leave()
    assert api.client.env_id is None


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        ((16, 4, 4097, 4096), []),
        ((16, 4, 4096, 4096), ["max_token_len"]),
        ((16, 5, -1, 4096), ["multiple of group_size 5"]),
        ((16, 5, 100, 4096), ["shorter than 100", "batch_size 16"]),
    ],
)
def test_settings_under_which_groups_are_lost_are_named(
    sizes: tuple[int, int, int, int], words: list[str]
) -> None:
    batch, group, theirs, ours = sizes
    problems = list(batch_problems(Sizes(batch, theirs), group, ours))
    assert len(problems) == len(words)
    assert all(word in problem for word, problem in zip(words, problems, strict=True))
