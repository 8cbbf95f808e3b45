"""rgenv/atropos/rollout_api.py: requests to the rollout API, and what becomes of groups."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import pytest_asyncio

from rgenv.atropos import rollout_api
from rgenv.atropos.rollout_api import RolloutApi, Sizes, check_steps
from rgenv.errors import StartupError
from rgenv.rollouts.group import group_id
from rgenv.runtime.backoff import REFUSALS
from rgenv.runtime.parts import end
from tests.support.failures import AT_ONCE, failing
from tests.support.fakes import RolloutApi as FakeApi
from tests.support.polling import until

pytestmark = pytest.mark.usefixtures("short_pauses")

REFUSED = {"status 400", "status 413"}
"""Failures that are no outage."""


def new_api(url: str, *, patience: float = 60.0, **more: Any) -> RolloutApi:
    """Return a client that sends no group."""
    api = RolloutApi(url, patience=patience, abort=None, **more)
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
    async with FakeApi(failing("/", "a redirect")) as other:
        with pytest.raises(StartupError, match="/elsewhere, and redirects are not followed"):
            await new_api(other.url).require(60)


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
    async with FakeApi(failing("/status-env", "status 500")) as broken, asyncio.timeout(20):
        api = new_api(broken.url, patience=0.3)
        with pytest.raises(StartupError, match="registers us and then does not know us"):
            while await api.status() is None:
                pass


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


# Groups


def group(name: str = "a", **changes: Any) -> dict[str, Any]:
    return {"tokens": [[1]], "scores": [0.5], "group_overrides": {"group_id": name}, **changes}


class Sender:
    """A client, what it says of each group, and why it ends the run."""

    def __init__(self, served: FakeApi, *, patience: float = 60.0) -> None:
        self.fates: list[tuple[str, str]] = []
        self.ended: list[Exception] = []
        self.api = RolloutApi(served.url, patience=patience, abort=self.ended.append)
        self.api.env_id = 3

    async def send(self, sent: Any) -> None:
        if (fate := await self.api.send(sent)) is not None:
            self.fates.append((group_id(sent), fate))

    @property
    def counts(self) -> tuple[int, int, int]:
        return self.api.delivered, self.api.refused, self.api.lost


def taken(served: FakeApi) -> list[str]:
    return [group["group_overrides"]["group_id"] for group in served.taken]


async def test_a_group_arrives_unchanged(served: FakeApi) -> None:
    sender = Sender(served)
    for number in (1, 5000):
        await sender.send(group(tokens=[[7] * number]))
    assert [len(g["tokens"][0]) for g in served.taken] == [1, 5000]
    written = group(messages=[[{"content": 'é"\n\ud800'}]], advantages=[], images=None)
    await sender.send(written)
    assert served.taken[2] == {**written, "env_id": 3} and sender.counts == (3, 0, 0)


async def test_no_group_is_lost_among_failures(served: FakeApi) -> None:
    """Connections break, and others answer; a group whose receipt was lost arrives twice."""
    buffered = {"status": "buffered", "buffer_size": 3}  # of a group of another size
    broken = ["late reset", 200, "reset", "redirect", 503, "page", 401, {"status": "error"}, {}]
    served.plan = [*broken, buffered]
    sender = Sender(served)
    await asyncio.gather(*(sender.send(group(name)) for name in "abcdef"))
    assert sorted(taken(served)) == list("aabcdef") and sender.counts == (6, 0, 0)
    # Without a receipt the API is asked for its trainer before the group is sent again.
    async with FakeApi(failing("/info", "status 400", after=1, times=2)) as other:
        other.plan = ["reset"]
        sender = Sender(other)
        await sender.send(group())
    assert taken(other) == ["a"] and sender.counts == (1, 0, 0)


async def test_nothing_is_sent_before_the_trainer_has_registered(served: FakeApi) -> None:
    """A group that came first would block the API."""
    served.has_trainer = False
    sender = Sender(served)
    sending = asyncio.create_task(sender.send(group()))
    await until(lambda: served.asked.count("info") >= 3)
    assert "scored_data" not in served.asked and not sending.done()
    served.has_trainer = True
    await sending
    assert taken(served) == ["a"]


async def test_a_group_that_is_not_sent_in_time_is_counted_as_lost(served: FakeApi) -> None:
    """Whether its request is under way, or it waits for another one."""
    served.hold = asyncio.Event()
    sender = Sender(served)
    waiting = [asyncio.create_task(sender.send(group(name))) for name in "ab"]
    await until(lambda: "scored_data" in served.asked)
    await end(waiting)
    served.hold.set()
    assert sender.counts == (0, 0, 2) and sender.fates == []
    assert sender.api.why_lost == "there was no time left"


async def test_each_group_has_a_fate(served: FakeApi, caplog: pytest.LogCaptureFixture) -> None:
    """A number that is not finite would cost the trainer a whole batch; a lost group has none."""
    served.plan = [200, 422, *[500] * 1000]
    sender = Sender(served, patience=1.0)
    for name in "abc":
        await sender.send(group(name))
    await sender.send(group("d", inference_logprobs=[[float("inf")]]))
    assert "refused a group: Out of range float values are not JSON compliant" in caplog.text
    assert sender.fates == [("a", "trained"), ("b", "refused"), ("d", "refused")]
    assert sender.counts == (1, 2, 1) and "took no group for 1 s" in str(sender.ended[0])


async def test_groups_that_are_refused_for_ever_end_the_run(served: FakeApi) -> None:
    served.plan = [400] * (REFUSALS - 1) + [200] + [400] * REFUSALS
    sender = Sender(served)
    for number in range(2 * REFUSALS):
        assert not sender.ended
        await sender.send(group(str(number)))
    assert sender.counts == (1, 2 * REFUSALS - 1, 0)
    assert "refuses our groups: /scored_data answers HTTP 400" in str(sender.ended[0])


async def test_a_group_that_a_new_trainer_can_not_take_is_not_sent(served: FakeApi) -> None:
    """It waited while the trainer came back with a smaller max_token_len."""
    served.sizes = {"batch_size": 16, "max_token_len": 5}
    sender = Sender(served)
    for length in (4, 5):
        await sender.send(group(str(length), tokens=[[1], [7] * length]))
    assert taken(served) == ["4"] and sender.fates == [("4", "trained"), ("5", "too_long")]
