"""rgenv/atropos/api_client.py: single requests to a rollout API that fails."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from rgenv.atropos.api_client import ApiAway, ApiClient, NotKnown, Refused, RefusesAll, Sizes
from tests.support.failures import AT_ONCE, failing
from tests.support.fakes import RolloutApi

Ask = Callable[[ApiClient], Awaitable[Any]]

ASKS: dict[str, Ask] = {
    "/register-env": lambda client: client.register({}),
    "/status-env": lambda client: client.status(),
    "/info": lambda client: client.sizes(),
    "/wandb_info": lambda client: client.wandb(),
    "/scored_data": lambda client: client.send(b'{"a": 1}', {}),
}

REFUSALS: dict[str, type[Exception]] = {
    "a redirect": RefusesAll,
    "status 400": Refused,
    "status 401": RefusesAll,
    "status 404": RefusesAll,
    "status 413": Refused,
}


async def test_answers_have_their_types() -> None:
    async with RolloutApi() as api:
        client = ApiClient(api.url)
        assert (await client.status())["queue_size"] == 0
        assert await client.sizes() == Sizes(16, 2**20)
        assert await client.register({}) == api.registration
        assert await client.wandb() == {"group": None, "project": "p"}
        await client.send(b'{"group_overrides": {"group_id": "a"}}', {})
        api.has_trainer = False
        assert await client.register({}) == {"status": "wait for trainer to start"}
        assert await client.sizes() == Sizes()


@pytest.mark.parametrize("page", ASKS)
@pytest.mark.parametrize("name", AT_ONCE)
async def test_a_failure_is_an_outage_or_a_refusal(page: str, name: str) -> None:
    """Another program may have answered; the reason is one line with the page."""
    expected = REFUSALS.get(name, ApiAway)
    if (page, name) == ("/status-env", "status 500"):
        expected = NotKnown
    async with RolloutApi(failing(page, name)) as api:
        with pytest.raises(expected, match=page) as failure:
            await ASKS[page](ApiClient(api.url))
    assert type(failure.value) is expected and str(failure.value).isprintable()
