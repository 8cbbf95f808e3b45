"""rgenv/atropos/delivery.py: groups are delivered, refused or counted as lost."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from rgenv.atropos import delivery
from rgenv.atropos.delivery import Delivery
from rgenv.atropos.rollout_api import RolloutApi as OurApi
from rgenv.rollouts.group import group_id
from rgenv.runtime.backoff import REFUSALS
from tests.support.failures import failing
from tests.support.fakes import RolloutApi
from tests.support.polling import until

pytestmark = pytest.mark.usefixtures("short_pauses")


def group(name: str = "a", **changes: Any) -> dict[str, Any]:
    return {"tokens": [[1]], "scores": [0.5], "group_overrides": {"group_id": name}, **changes}


@pytest_asyncio.fixture(loop_scope="session")
async def api(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[RolloutApi]:
    """A scripted API, and a trainer that is looked for at once."""
    monkeypatch.setattr(delivery, "TRAINER_SECONDS", 0.01)
    async with RolloutApi() as api:
        yield api


def new_delivery(served: RolloutApi, *, patience: float = 60.0, **more: Any) -> Delivery:
    api = OurApi(served.url, patience=patience, num_replicas=1)
    api.client.env_id = 3
    return Delivery(api, **more)


def taken(api: RolloutApi) -> list[str]:
    return [group["group_overrides"]["group_id"] for group in api.taken]


async def test_a_group_arrives_unchanged(api: RolloutApi) -> None:
    """It has the number of this environment; a large group is compressed on the way."""
    sender = new_delivery(api)
    for number in (1, 5000):
        await sender.send(group(tokens=[[7] * number]))
    assert [len(g["tokens"][0]) for g in api.taken] == [1, 5000]
    written = group(messages=[[{"content": 'é"\n\ud800'}]], advantages=[], images=None)
    await sender.send(written)
    assert api.taken[2] == {**written, "env_id": 3}
    assert (sender.delivered, sender.refused, sender.lost) == (3, 0, 0)


async def test_no_group_is_lost_among_failures(api: RolloutApi) -> None:
    """Connections break, and others answer; a group whose receipt was lost arrives twice."""
    api.plan = ["late reset", 200, "reset", 503, "page", 429, 500]
    sender = new_delivery(api)
    await asyncio.gather(*(sender.send(group(name)) for name in "abcdef"))
    assert sorted(taken(api)) == list("aabcdef") and sender.delivered == 6


async def test_nothing_is_sent_before_the_trainer_has_registered(api: RolloutApi) -> None:
    """A group that came first would block the API."""
    api.has_trainer = False
    sender = new_delivery(api)
    sending = asyncio.create_task(sender.send(group()))
    await until(lambda: api.asked.count("info") >= 3)
    assert "scored_data" not in api.asked and not sending.done()
    api.has_trainer = True
    await sending
    assert taken(api) == ["a"]


async def test_draining_waits_for_a_bounded_time(api: RolloutApi) -> None:
    """Groups that are not delivered by then are counted as lost."""
    api.hold = asyncio.Event()
    sender = new_delivery(api)
    waiting = [asyncio.create_task(sender.send(group(name))) for name in "ab"]
    await until(lambda: "scored_data" in api.asked)
    async with asyncio.timeout(30):
        await sender.drain(0.1)
    api.hold.set()
    await asyncio.gather(*waiting, return_exceptions=True)
    assert sender.lost == 2 and sender.delivered == 0


async def test_a_group_with_a_number_that_is_not_finite_is_never_sent(api: RolloutApi) -> None:
    """One such score would cost the trainer a whole batch."""
    sender = new_delivery(api)
    with pytest.raises(ValueError, match="JSON"):
        await sender.send(group(scores=[float("nan")]))
    with pytest.raises(ValueError, match="JSON"):
        await sender.send(group(inference_logprobs=[[float("inf")]]))
    assert api.taken == [] and sender.refused == 2


async def test_a_group_is_settled_once_it_is_accepted_or_refused(api: RolloutApi) -> None:
    settled: list[tuple[str, str]] = []
    sender = new_delivery(
        api, patience=1.0, settled=lambda *what: settled.append((group_id(what[0]), what[1]))
    )
    api.plan = [200, 422, *[500] * 1000]
    for name in "abc":
        await sender.send(group(name))
    with pytest.raises(ValueError, match="not JSON compliant"):
        await sender.send(group("d", scores=[float("nan")]))
    assert settled == [("a", "trained"), ("b", "refused"), ("d", "refused")]
    assert (sender.delivered, sender.refused, sender.lost) == (1, 2, 1)


@pytest.mark.parametrize(
    ("plan", "times"),
    [([{"status": "error"}] * 2, 3), ([{}], 2), ([{"status": "buffered", "buffer_size": 3}], 1)],
)
async def test_a_group_without_a_receipt_is_sent_again(
    api: RolloutApi, plan: list[Any], times: int
) -> None:
    """Any other answer may be that of a proxy: groups vanished that it counted as delivered.

    The API says "buffered" of a group of another size than it was told.
    """
    api.plan = plan
    sender = new_delivery(api)
    await sender.send(group())
    assert taken(api) == ["a"] and (sender.delivered, sender.lost) == (1, 0)
    assert api.asked.count("scored_data") == times


async def test_a_redirect_ends_the_run_with_its_reason(api: RolloutApi) -> None:
    """A few attempts follow each other; the group is counted, and sent nowhere else."""
    ended: list[Exception] = []
    api.plan = ["redirect"] * 100
    sender = new_delivery(api, abort=ended.append)
    await sender.send(group())
    assert (sender.delivered, sender.refused, taken(api)) == (0, 1, [])
    assert api.asked.count("scored_data") == REFUSALS
    assert "redirects to http://127.0.0.1:9/elsewhere" in str(ended[0])


async def test_groups_that_are_refused_for_ever_end_the_run(api: RolloutApi) -> None:
    """A few are counted one by one; one that is accepted begins the count anew."""
    ended: list[Exception] = []
    api.plan = [400] * (REFUSALS - 1) + [200] + [400] * REFUSALS
    sender = new_delivery(api, abort=ended.append)
    for number in range(2 * REFUSALS):
        assert not ended
        await sender.send(group(str(number)))
    assert (sender.delivered, sender.refused) == (1, 2 * REFUSALS - 1)
    assert "refuses our groups: /scored_data answers HTTP 400" in str(ended[0])


async def test_an_api_that_hangs_does_not_stop_the_clock(api: RolloutApi) -> None:
    """After the patience the group is lost, and the run ends with a sentence."""
    ended: list[Exception] = []
    api.hold = asyncio.Event()
    sender = new_delivery(api, patience=0.3, abort=ended.append)
    async with asyncio.timeout(60):
        await sender.send(group())
    api.hold.set()
    assert sender.lost == 1 and "took no group for 0.3 s" in str(ended[0])


async def test_a_group_that_a_new_trainer_can_not_take_is_not_sent(api: RolloutApi) -> None:
    """It waited while the trainer came back with a smaller max_token_len."""
    settled: list[str] = []
    api.sizes = {"batch_size": 16, "max_token_len": 5}
    sender = new_delivery(api, settled=lambda _group, fate: settled.append(fate))
    for length in (4, 5):
        await sender.send(group(str(length), tokens=[[1], [7] * length]))
    assert taken(api) == ["4"] and settled == ["trained", "too_long"]
    assert (sender.delivered, sender.refused, sender.lost) == (1, 0, 0)


async def test_a_refused_question_is_no_refused_group() -> None:
    """Without a receipt the API is asked for its trainer before the group is sent again."""
    async with RolloutApi(failing("/info", "status 400", after=1, times=2)) as api:
        api.plan = ["reset"]
        sender = new_delivery(api)
        await sender.send(group())
    assert taken(api) == ["a"] and (sender.delivered, sender.refused) == (1, 0)
