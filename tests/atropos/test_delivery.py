"""rgenv/atropos/rollout_api.py: groups are delivered, refused or counted as lost."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from rgenv.atropos import rollout_api
from rgenv.atropos.rollout_api import RolloutApi as OurApi
from rgenv.rollouts.group import group_id
from rgenv.runtime.backoff import REFUSALS
from rgenv.runtime.parts import end
from tests.support.failures import failing
from tests.support.fakes import RolloutApi
from tests.support.polling import until

pytestmark = pytest.mark.usefixtures("short_pauses")


def group(name: str = "a", **changes: Any) -> dict[str, Any]:
    return {"tokens": [[1]], "scores": [0.5], "group_overrides": {"group_id": name}, **changes}


@pytest_asyncio.fixture(loop_scope="session")
async def api(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[RolloutApi]:
    """A scripted API, and a trainer that is looked for at once."""
    monkeypatch.setattr(rollout_api, "TRAINER_SECONDS", 0.01)
    async with RolloutApi() as api:
        yield api


class Sender:
    """A client, what it says of each group, and why it ends the run."""

    def __init__(self, served: RolloutApi, *, patience: float = 60.0) -> None:
        self.fates: list[tuple[str, str]] = []
        self.ended: list[Exception] = []
        self.api = OurApi(
            served.url, patience=patience, settled=self._settled, abort=self.ended.append
        )
        self.api.env_id = 3
        self.send = self.api.send

    def _settled(self, sent: Any, fate: str) -> None:
        self.fates.append((group_id(sent), fate))

    @property
    def counts(self) -> tuple[int, int, int]:
        return self.api.delivered, self.api.refused, self.api.lost


def taken(api: RolloutApi) -> list[str]:
    return [group["group_overrides"]["group_id"] for group in api.taken]


async def test_a_group_arrives_unchanged(api: RolloutApi) -> None:
    sender = Sender(api)
    for number in (1, 5000):
        await sender.send(group(tokens=[[7] * number]))
    assert [len(g["tokens"][0]) for g in api.taken] == [1, 5000]
    written = group(messages=[[{"content": 'é"\n\ud800'}]], advantages=[], images=None)
    await sender.send(written)
    assert api.taken[2] == {**written, "env_id": 3} and sender.counts == (3, 0, 0)


async def test_no_group_is_lost_among_failures(api: RolloutApi) -> None:
    """Connections break, and others answer; a group whose receipt was lost arrives twice."""
    buffered = {"status": "buffered", "buffer_size": 3}  # of a group of another size
    broken = ["late reset", 200, "reset", "redirect", 503, "page", 401, {"status": "error"}, {}]
    api.plan = [*broken, buffered]
    sender = Sender(api)
    await asyncio.gather(*(sender.send(group(name)) for name in "abcdef"))
    assert sorted(taken(api)) == list("aabcdef") and sender.counts == (6, 0, 0)
    # Without a receipt the API is asked for its trainer before the group is sent again.
    async with RolloutApi(failing("/info", "status 400", after=1, times=2)) as other:
        other.plan = ["reset"]
        sender = Sender(other)
        await sender.send(group())
    assert taken(other) == ["a"] and sender.counts == (1, 0, 0)


async def test_nothing_is_sent_before_the_trainer_has_registered(api: RolloutApi) -> None:
    """A group that came first would block the API."""
    api.has_trainer = False
    sender = Sender(api)
    sending = asyncio.create_task(sender.send(group()))
    await until(lambda: api.asked.count("info") >= 3)
    assert "scored_data" not in api.asked and not sending.done()
    api.has_trainer = True
    await sending
    assert taken(api) == ["a"]


async def test_a_group_that_is_not_sent_in_time_is_counted_as_lost(api: RolloutApi) -> None:
    """Whether its request is under way, or it waits for another one."""
    api.hold = asyncio.Event()
    sender = Sender(api)
    waiting = [asyncio.create_task(sender.send(group(name))) for name in "ab"]
    await until(lambda: "scored_data" in api.asked)
    await end(waiting)
    api.hold.set()
    assert sender.counts == (0, 0, 2) and sender.fates == []
    assert sender.api.why_lost == "there was no time left"


async def test_each_group_has_a_fate(api: RolloutApi) -> None:
    """A number that is not finite would cost the trainer a whole batch; a lost group has none."""
    api.plan = [200, 422, *[500] * 1000]
    sender = Sender(api, patience=1.0)
    for name in "abc":
        await sender.send(group(name))
    with pytest.raises(ValueError, match="not JSON compliant"):
        await sender.send(group("d", inference_logprobs=[[float("inf")]]))
    assert sender.fates == [("a", "trained"), ("b", "refused"), ("d", "refused")]
    assert sender.counts == (1, 2, 1) and "took no group for 1 s" in str(sender.ended[0])


async def test_groups_that_are_refused_for_ever_end_the_run(api: RolloutApi) -> None:
    api.plan = [400] * (REFUSALS - 1) + [200] + [400] * REFUSALS
    sender = Sender(api)
    for number in range(2 * REFUSALS):
        assert not sender.ended
        await sender.send(group(str(number)))
    assert sender.counts == (1, 2 * REFUSALS - 1, 0)
    assert "refuses our groups: /scored_data answers HTTP 400" in str(sender.ended[0])


async def test_a_group_that_a_new_trainer_can_not_take_is_not_sent(api: RolloutApi) -> None:
    """It waited while the trainer came back with a smaller max_token_len."""
    api.sizes = {"batch_size": 16, "max_token_len": 5}
    sender = Sender(api)
    for length in (4, 5):
        await sender.send(group(str(length), tokens=[[1], [7] * length]))
    assert taken(api) == ["4"] and sender.fates == [("4", "trained"), ("5", "too_long")]
