"""rgenv/rollout_api/client.py: single requests to a rollout API that may lie."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from rgenv.inference.http import TooLarge
from rgenv.rollout_api.client import LEAST_WEIGHT, ApiAway, ApiClient, Refused, RefusesAll, Sizes
from tests.support.fakes import RolloutApi
from tests.support.lies import ABOUT_HTTP, OF_API, SLOW, VALUES, Changing, Lie, Wrong, teller

Ask = Callable[[ApiClient], Awaitable[Any]]

ASKS: dict[str, Ask] = {
    "/register-env": lambda client: client.register({}),
    "/status-env": lambda client: client.status(),
    "/info": lambda client: client.sizes(),
    "/wandb_info": lambda client: client.wandb(),
    "/scored_data": lambda client: client.send(b'{"a": 1}', {}),
}


async def test_the_truth_has_its_types() -> None:
    """Whole numbers that are written as 16.0 are whole numbers."""
    async with RolloutApi() as api:
        api.status |= {"queue_size": 3.0}
        client = ApiClient(api.url)
        assert (await client.status())["queue_size"] == 3
        assert await client.sizes() == Sizes(16, 2**20)
        assert await client.register({}) == api.registration
        assert await client.wandb() == {"group": None, "project": "p"}
        await client.send(b'{"group_overrides": {"group_id": "a"}}', {})
        api.has_trainer = False
        assert await client.register({}) == {"status": "wait for trainer to start"}
        assert await client.sizes() == Sizes()


BELIEVED = {
    "/register-env": [
        "a string at wandb_name",
        "a string at checkpoint_dir",
        "-1 at checkpoint_interval",
        "-1 at num_steps",
    ],
    "/status-env": ["missing at self_queue_size", "-1 at env_weight", "1.5 at env_weight"],
    "/info": ["-1 at batch_size", "-1 at max_token_len"],
    "/wandb_info": [
        f"{kind} at {x}" for x in ("group", "project") for kind in ("null", "a string")
    ],
    "/scored_data": [],
}
"""Page -> the lies that have the type of the truth."""


@pytest.mark.parametrize(("page", "believed"), BELIEVED.items())
async def test_any_other_lie_is_an_outage(page: str, believed: list[str]) -> None:
    """Another program may have answered; the reason is one printable line, and comes at once."""
    changing, found = Changing(), list[str]()
    async with RolloutApi(changing.middleware) as api:
        client = ApiClient(api.url)
        wrong = [Wrong(place, kind) for place in OF_API[page] for kind in VALUES]
        at_once = [tell for name, tell in ABOUT_HTTP.items() if name not in SLOW]
        for tell in (*at_once, *wrong):
            changing.lie = Lie(page, str(tell), tell, 0, 10**9)
            try:
                await ASKS[page](client)
            except (ApiAway, Refused, TooLarge) as problem:
                said = str(problem)
                assert said.isprintable() and len(said) < 700, tell
                assert tell in at_once or (type(problem) is ApiAway and page in said), tell
            else:
                found.append(str(tell))
    assert found == believed


@pytest.mark.parametrize("name", ["../../../up", "/root", ""])
async def test_a_name_that_leads_elsewhere_is_not_taken(name: str) -> None:
    """It becomes a part of paths."""
    async with RolloutApi() as api:
        api.registration["wandb_name"] = name
        with pytest.raises(ApiAway, match="wandb_name"):
            await ApiClient(api.url).register({})


@pytest.mark.parametrize("weight", [0, 0.0, -3, 1e-300])
async def test_no_weight_is_the_least_weight(weight: float) -> None:
    """With none, all requests would wait for ever, without a word."""
    async with RolloutApi() as api:
        api.status["env_weight"] = weight
        client = ApiClient(api.url)
        assert (await client.status())["env_weight"] == LEAST_WEIGHT
        api.status["env_weight"] = 10**9
        assert (await client.status())["env_weight"] == 1.0


@pytest.mark.parametrize(("status", "kind"), [(400, Refused), (401, RefusesAll), (404, RefusesAll)])
async def test_what_a_refusal_says_is_one_line(status: int, kind: type[Exception]) -> None:
    """Line breaks and the colors of a terminal would forge lines of the log."""
    lie = Lie("/scored_data", "", ABOUT_HTTP[f"status {status}"], 0, 9)
    async with RolloutApi(teller(lie)) as api:
        with pytest.raises(kind, match=f"HTTP {status}") as refusal:
            await ASKS["/scored_data"](ApiClient(api.url))
    assert type(refusal.value) is kind
    assert str(refusal.value).isprintable() and len(str(refusal.value)) < 400
