"""rgenv/rollout_api/client.py: single requests to a rollout API that may lie."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from rgenv.inference.http import TooLarge
from rgenv.rollout_api.client import LEAST_WEIGHT, ApiAway, ApiClient, Refused, RefusesAll, Sizes
from rgenv.runtime.large_json import MOST_VALUES
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


async def told(page: str, tell: Any) -> Any:
    async with RolloutApi(teller(Lie(page, "", tell, 0, 9))) as api:
        return await ASKS[page](ApiClient(api.url))


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
        assert await client.latest_group() == "a"
        api.has_trainer = False
        assert await client.register({}) == {"status": "wait for trainer to start"}
        assert await client.sizes() == Sizes()


@pytest.mark.parametrize(
    ("page", "place", "kind"),
    [
        *[("/register-env", "env_id", kind) for kind in ("missing", "a string", "-1", "true")],
        ("/register-env", "starting_step", "1e308"),
        ("/register-env", "wandb_name", "a forged line"),
        ("/register-env", "checkpoint_dir", "a long string"),
        ("/register-env", "status", "a string"),
        *[("/status-env", "current_step", kind) for kind in ("null", "1.5", "a huge number")],
        *[("/status-env", "env_weight", kind) for kind in ("NaN", "infinity", "a nested list")],
        *[("/info", "batch_size", kind) for kind in ("1.5", "an empty list", "true")],
        ("/wandb_info", "project", "an empty object"),
        *[("/scored_data", "status", kind) for kind in ("a string", "null", "a forged line")],
    ],
)
async def test_a_wrong_type_is_an_outage(page: str, place: str, kind: str) -> None:
    """Another program may have answered; the reason is one printable line."""
    with pytest.raises(ApiAway) as problem:
        await told(page, Wrong((place,), kind))
    said = str(problem.value)
    assert page in said and said.isprintable() and len(said) < 300


@pytest.mark.parametrize("page", ASKS)
async def test_any_lie_is_one_line_or_a_value(page: str) -> None:
    """No other exception, and at once; an answer of another form is an outage."""
    changing = Changing()
    async with RolloutApi(changing.middleware) as api:
        client = ApiClient(api.url)
        wrong = [Wrong(place, kind) for place in OF_API[page] for kind in VALUES]
        at_once = [tell for name, tell in ABOUT_HTTP.items() if name not in SLOW]
        for tell in (*at_once, *wrong):
            changing.lie = Lie(page, str(tell), tell, 0, 10**9)
            try:
                await ASKS[page](client)
            except (ApiAway, Refused, TooLarge) as problem:
                assert str(problem).isprintable() and len(str(problem)) < 700, tell
            else:
                assert isinstance(tell, Wrong) and tell.place, tell


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
    with pytest.raises(kind, match=f"HTTP {status}") as refusal:
        await told("/scored_data", ABOUT_HTTP[f"status {status}"])
    assert type(refusal.value) is kind
    assert str(refusal.value).isprintable() and len(str(refusal.value)) < 400


async def test_a_group_larger_than_ours_is_not_ours() -> None:
    """It is not read to its end."""
    async with RolloutApi() as api:
        api.taken.append({"tokens": [[7] * 10_000], "group_overrides": {"group_id": "a"}})
        client = ApiClient(api.url)
        assert (await client.latest_group(), await client.latest_group(most=100)) == ("a", "")
        api.taken.append({"group_overrides": ["a"]})
        assert await client.latest_group() == ""
        text = '"group_id": "c"'
        overrides = {"group_id": "b"}
        api.taken.append({"m": text, "group_overrides": overrides, "tokens": [[7] * MOST_VALUES]})
        assert await client.latest_group() == "b"
