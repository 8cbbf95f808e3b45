"""rgenv/atropos/rollout_api.py: requests to the rollout API, through outages and restarts."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import pytest_asyncio

from rgenv.atropos import rollout_api
from rgenv.atropos.rollout_api import RolloutApi, Sizes, check_steps
from rgenv.errors import StartupError
from rgenv.runtime.backoff import REFUSALS
from tests.support.failures import AT_ONCE, failing
from tests.support.fakes import RolloutApi as FakeApi
from tests.support.polling import until

pytestmark = pytest.mark.usefixtures("short_pauses")

REFUSED = {"status 400", "status 413"}
"""Failures that are no outage."""


def new_api(url: str, *, patience: float = 60.0, **more: Any) -> RolloutApi:
    """Return a client that sends no group."""
    no_group: Any = None
    api = RolloutApi(url, patience=patience, settled=no_group, abort=no_group, **more)
    api.env_id = 4
    return api


@pytest_asyncio.fixture(loop_scope="session")
async def served(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[FakeApi]:
    monkeypatch.setattr(rollout_api, "TRAINER_SECONDS", 0.01)
    async with FakeApi() as api:
        api.status["current_step"] = 3
        yield api


@pytest.mark.parametrize("name", AT_ONCE)
async def test_an_outage_is_waited_for_and_a_refusal_ends_the_run(name: str) -> None:
    """Another program may have answered, and a few refusals may be those of a proxy."""
    async with FakeApi(failing("/info", name, times=REFUSALS - 1)) as served:
        assert await new_api(served.url).sizes() == Sizes(16, 2**20)
    async with FakeApi(failing("/info", name)) as served:
        with pytest.raises(StartupError) as failure:
            await new_api(served.url, patience=0.3).sizes()
    said = str(failure.value)
    assert "/info" in said and said.isprintable()
    assert said.startswith("The rollout API refuses us: ") == (name in REFUSED)


async def test_the_start_requires_a_rollout_api(served: FakeApi) -> None:
    await new_api(served.url).require(60)
    async with FakeApi(failing("/", "a web page")) as other:
        with pytest.raises(StartupError, match=r"run-api --port \d+.*rollout_server_url"):
            await new_api(other.url).require(0)


async def test_waiting_for_the_trainer_is_said(served: FakeApi) -> None:
    said: list[str] = []

    @contextlib.contextmanager
    def doing(what: str) -> Iterator[None]:
        said.append(what)
        yield

    registered = served.registration
    served.has_trainer, served.registration = False, {"status": "wait for trainer to start"}
    api = new_api(served.url, doing=doing)
    registering = asyncio.create_task(api.register({"a": 1}))
    await until(lambda: len(served.asked) >= 4)
    assert said == [f"Waiting for a trainer to register with {served.url}"]
    served.has_trainer = True
    await until(lambda: len(said) == 2)
    served.registration = registered
    assert (await registering) == registered and api.env_id == 4
    assert said[1:] == [f"Waiting for the trainer to ask {served.url} for its first batch"]


async def test_an_api_that_does_not_know_the_environment_is_left(served: FakeApi) -> None:
    """It was restarted; `serve` then registers again."""
    status = await new_api(served.url).status()
    assert status is not None and status["current_step"] == 3
    async with FakeApi(failing("/status-env", "status 500", times=REFUSALS)) as restarted:
        api = new_api(restarted.url)
        assert await api.status() is None and api.env_id is None
        assert await api.status() is not None
    assert restarted.asked == ["disconnect-env", "status-env"]


@pytest.mark.parametrize("name", ["no answer", "status 400"])
async def test_leaving_asks_nothing_of_the_api(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(rollout_api, "DISCONNECT_SECONDS", 0.3)
    async with FakeApi(failing("/disconnect-env", name)) as served, asyncio.timeout(60):
        api = new_api(served.url)
        await api.leave()
    assert api.env_id is None


def test_a_run_has_an_end_and_may_end_before_the_trainer(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(StartupError, match=r"--env\.total_steps, or num_steps"):
        check_steps(0, total_steps=-1)
    for steps, total_steps in ((0, 10), (1000, -1), (1000, 1000)):
        check_steps(steps, total_steps=total_steps)
    assert caplog.text == ""
    check_steps(1000, total_steps=250)
    assert "ends at step 250" in caplog.text and "1000 steps of the trainer" in caplog.text
