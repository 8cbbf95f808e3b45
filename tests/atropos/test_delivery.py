"""rgenv/atropos/delivery.py: groups on their way to the rollout API."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from rgenv.atropos import delivery
from rgenv.atropos.delivery import Delivery, _json
from rgenv.runtime import backoff
from rgenv.runtime.backoff import retrying
from tests.support.fakes import RolloutApi


def group(name: str = "a", **changes: Any) -> dict[str, Any]:
    return {"tokens": [[1]], "scores": [0.5], "group_overrides": {"group_id": name}, **changes}


@pytest_asyncio.fixture(loop_scope="session")
async def api(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[RolloutApi]:
    """A scripted API; pauses between attempts are short."""
    monkeypatch.setattr(backoff, "wait_random_exponential", lambda **_: lambda state: 0.01)
    async with RolloutApi() as api:
        yield api


def taken(api: RolloutApi) -> list[str]:
    return [group["group_overrides"]["group_id"] for group in api.taken]


async def test_a_group_arrives_as_it_is(api: RolloutApi) -> None:
    """With our number at the API, also when it is large enough to be compressed."""
    sender = Delivery(api.url, patience=5, env_id=lambda: 3)
    for number in (1, 5000):
        await sender.send(group(tokens=[[7] * number]))
    assert [g["env_id"] for g in api.taken] == [3, 3]
    assert [len(g["tokens"][0]) for g in api.taken] == [1, 5000]
    assert (sender.delivered, sender.refused, sender.lost) == (2, 0, 0)


@pytest.mark.parametrize("plan", [[500], [503, "reset", 429], ["reset", "reset"], ["page"]])
async def test_trouble_is_ridden_out(api: RolloutApi, plan: list[int | str]) -> None:
    """Errors, broken connections and pages of other servers delay a group; it arrives once."""
    api.plan = plan
    sender = Delivery(api.url, patience=5)
    await sender.send(group())
    assert taken(api) == ["a"] and sender.delivered == 1


async def test_a_group_that_arrived_unseen_is_not_sent_again(api: RolloutApi) -> None:
    """When the connection broke after the API took it, the API is asked."""
    api.plan = ["late reset"]
    sender = Delivery(api.url, patience=5)
    await sender.send(group("a"))
    await sender.send(group("b"))
    assert taken(api) == ["a", "b"] and sender.delivered == 2


async def test_groups_sent_at_once_arrive_once_each(api: RolloutApi) -> None:
    """Whatever breaks after which of them was taken."""
    api.plan = ["late reset", 200, "late reset", "late reset", 500, "reset"]
    sender = Delivery(api.url, patience=5)
    await asyncio.gather(*(sender.send(group(name)) for name in "abcdef"))
    assert sorted(taken(api)) == list("abcdef") and sender.delivered == 6


async def test_a_refused_group_is_counted_and_not_repeated(
    api: RolloutApi, caplog: pytest.LogCaptureFixture
) -> None:
    """A 4xx is the group's fault: said, counted, and the next one goes on."""
    api.plan = [422]
    sender = Delivery(api.url, patience=5)
    await sender.send(group("a"))
    await sender.send(group("b"))
    assert taken(api) == ["b"] and (sender.delivered, sender.refused) == (1, 1)
    assert "422" in caplog.text


async def test_an_api_that_stays_away_loses_the_group_countably(
    api: RolloutApi, caplog: pytest.LogCaptureFixture
) -> None:
    """After the patience is over the group is counted as lost, and nothing is raised."""
    api.plan = [500] * 1000
    sender = Delivery(api.url, patience=0.2)
    await sender.send(group())
    assert (sender.delivered, sender.lost) == (0, 1)
    assert "did not reach the rollout API" in caplog.text


async def test_nothing_is_sent_before_the_trainer_has_registered(api: RolloutApi) -> None:
    """A group that came first would keep the real API from ever starting."""
    api.has_trainer = False
    sender = Delivery(api.url, patience=5)
    sending = asyncio.create_task(sender.send(group()))
    await asyncio.sleep(0.1)
    assert "scored_data" not in api.asked and not sending.done()
    api.has_trainer = True
    await sending
    assert taken(api) == ["a"]


async def test_an_api_that_just_answered_is_not_asked_again(api: RolloutApi) -> None:
    """While we are in touch, a group costs one request."""
    sender = Delivery(api.url, patience=5, in_touch=lambda: True)
    await sender.send(group())
    assert api.asked == ["scored_data"]


async def test_cancelling_who_waits_does_not_stop_the_group(api: RolloutApi) -> None:
    """Atropos cancels workers while they send; their groups arrive all the same."""
    api.hold = asyncio.Event()
    sender = Delivery(api.url, patience=5)
    waiting = [asyncio.create_task(sender.send(group(name))) for name in "abc"]
    await asyncio.sleep(0.05)
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    api.hold.set()
    await sender.drain(5)
    assert taken(api) == ["a", "b", "c"] and sender.delivered == 3


async def test_the_end_waits_for_groups_for_a_bounded_time(api: RolloutApi) -> None:
    """What is not through by then is counted as lost."""
    api.hold = asyncio.Event()
    sender = Delivery(api.url, patience=60)
    waiting = [asyncio.create_task(sender.send(group(name))) for name in "ab"]
    await asyncio.sleep(0.05)
    async with asyncio.timeout(5):
        await sender.drain(0.1)
    api.hold.set()
    await asyncio.gather(*waiting, return_exceptions=True)
    assert sender.lost == 2 and sender.delivered == 0


async def test_a_number_that_is_none_is_never_sent(api: RolloutApi) -> None:
    """One such score would cost the trainer a whole batch."""
    sender = Delivery(api.url, patience=5)
    with pytest.raises(ValueError, match="JSON"):
        await sender.send(group(scores=[float("nan")]))
    with pytest.raises(ValueError, match="JSON"):
        await sender.send(group(inference_logprobs=[[float("inf")]]))
    assert api.taken == [] and sender.refused == 2


def test_a_body_made_piece_by_piece_is_the_same_json() -> None:
    """Lists, nested lists, mappings, None and text: what json makes of them at once."""
    group = {
        "tokens": [[1, 2], []],
        "scores": [0.5, 1.0],
        "overrides": [{}, {"a": True}],
        "messages": [[{"role": "user", "content": 'é"\n'}]],
        "env_id": None,
        "advantages": [],
        "group_overrides": {"group_id": "x", "kinds": ["scored"]},
    }
    assert _json(group) == json.dumps(group)


async def test_patience_speaks_once(caplog: pytest.LogCaptureFixture) -> None:
    """However often it tries, the log names the first failure only."""
    with pytest.raises(OSError, match="away"):
        async for attempt in retrying(1.5, "Knocking", on=delivery.UNAVAILABLE):
            with attempt:
                raise OSError("away")
    assert caplog.text.count("Knocking") == 1
