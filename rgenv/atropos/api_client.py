"""ApiClient: single requests to the rollout API, whose answers are checked before they are used.

::

    client = ApiClient("http://localhost:8000")
    await client.sizes()                # Sizes(batch_size=1024, max_token_len=8193)
    await client.send(body, headers)    # returns once the API has given a receipt

Whatever another program answers in its place, a request has one of three ends: a value of the right
type, `ApiAway` (another attempt may succeed), or `Refused`. Not here: asking again (rollout_api.py,
delivery.py).
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from rgenv.inference.http import MIB, PAGE_BYTES, NoAnswer, Response, TooLarge, ask
from rgenv.rollouts.group import group_id
from rgenv.text import one_line

REQUEST_SECONDS = 30.0
SENDING_SECONDS = 60.0
"""Seconds for a request, and for one with a group."""

GROUP_BYTES = 512 * MIB
"""The most bytes of a group that the API shows."""

LEAST_WEIGHT = 0.01
"""What the rollout API gives an environment at least. With none, no request would be sent."""

MOST = 2**53
MAY_WORK_LATER = (408, 425, 429)
CONCERNS_ALL = (401, 403, 404, 405, 407)
"""Status codes that concern the address or the account, not one group."""

RECEIPTS = ("received", "buffered")

Check = Callable[[Any], Any]
"""Returns a value as it is used; raises ValueError if it is none."""


class ApiAway(OSError):
    """The rollout API is unavailable, or another program answers; another attempt may succeed.

    Attributes:
        status: the status code of its answer; 0 if there was none.
    """

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


class Refused(Exception):
    """The rollout API refuses a request."""


class RefusesAll(Refused):
    """It refuses a request because of the address or the account: any other one, too."""


class Sizes(NamedTuple):
    """What the trainer takes: sequences in a batch, and the length that each stays below.

    -1 stands for what no trainer has said.
    """

    batch_size: int = -1
    max_token_len: int = -1


class ApiClient:
    """Sends requests to the rollout API.

    Args:
        url: its address.
    """

    def __init__(self, url: str) -> None:
        self._url = url

    async def register(self, environment: Mapping[str, Any]) -> dict[str, Any]:
        """Register an environment; before the trainer's first batch, the status is not "success".

        Raises:
            ApiAway, Refused: see above; as for all requests.
        """
        reply = await self._json("POST", "/register-env", environment)
        status = _fields("/register-env", reply, status=_text(80))["status"]
        if status != "success":
            if not status.startswith("wait"):
                raise ApiAway(f"/register-env answers with status {status!r}")
            return {"status": status}
        return _fields(
            "/register-env",
            reply,
            status=_text(80),
            env_id=_whole(0),
            wandb_name=_name,
            checkpoint_dir=_text(4096),
            starting_step=_whole(0),
            checkpoint_interval=_whole(-MOST),
            num_steps=_whole(-MOST),
        )

    async def status(self, env_id: int | None) -> dict[str, Any]:
        """Return step, queue and weight, as Atropos reads them."""
        reply = await self._json("GET", "/status-env", {"env_id": env_id})
        queue = _fields("/status-env", reply, current_step=_whole(0), queue_size=_whole(0))
        others = _fields(
            "/status-env",
            {
                "self_queue_size": queue["queue_size"],
                "max_group_size": 1,
                "unallocated_fraction": 1.0,
                **reply,
            },
            self_queue_size=_whole(0),
            max_group_size=_whole(1),
            unallocated_fraction=_number(0.0, 1.0),
            env_weight=_number(-math.inf, math.inf),
        )
        weight = min(1.0, max(LEAST_WEIGHT, others["env_weight"]))
        return {**queue, **others, "env_weight": weight}

    async def sizes(self) -> Sizes:
        """Return what the trainer has registered."""
        reply = await self._json("GET", "/info")
        found = _fields("/info", reply, batch_size=_batch_size, max_token_len=_whole(-MOST))
        return Sizes(**found)

    async def wandb(self) -> dict[str, str | None]:
        """Return the trainer's `group` and `project` in wandb; None: no trainer has registered."""
        reply = await self._json("GET", "/wandb_info")
        return _fields("/wandb_info", reply, group=_optional(_text()), project=_optional(_text()))

    async def latest_group(self, most: int = GROUP_BYTES) -> str:
        """Return the id of the group that the API received last; empty if it is none of ours.

        Args:
            most: bytes that one of ours has at most; a larger one is not read.
        """
        try:
            return group_id(await self._json("GET", "/latest_example", most=most))
        except TooLarge:
            return ""

    async def send(self, body: bytes, headers: Mapping[str, str]) -> None:
        """Send a group; returns once the API has given a receipt."""
        reply = await self._json(
            "POST", "/scored_data", body, headers=headers, seconds=SENDING_SECONDS
        )
        status = _fields("/scored_data", reply, status=_text(80))["status"]
        if status not in RECEIPTS:
            raise ApiAway(f"/scored_data gives no receipt, but status {status!r}")

    async def disconnect(self, env_id: int, seconds: float) -> None:
        """Unregister an environment."""
        await self._json("POST", "/disconnect-env", {"env_id": env_id}, seconds=seconds)

    async def _json(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | bytes | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        seconds: float = REQUEST_SECONDS,
        most: int = PAGE_BYTES,
    ) -> Any:
        content = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        try:
            response = await ask(
                method,
                f"{self._url}{path}",
                seconds=seconds,
                most=most,
                body=content,
                headers=headers,
            )
        except TooLarge:
            raise
        except NoAnswer as error:
            raise ApiAway(f"{path} {error}") from None
        _require_success(path, response)
        try:
            return await response.json()
        except ValueError:
            raise ApiAway(f"{path} sends no JSON ({one_line(response.text, 60)!r})") from None


def _require_success(path: str, response: Response) -> None:
    status = response.status
    if response.is_redirect:
        raise RefusesAll(
            f"{path} redirects to {response.location}, and redirects are not followed: set "
            "--env.rollout_server_url to the address of run-api itself."
        )
    if status >= 500 or status in MAY_WORK_LATER:
        raise ApiAway(f"{path} answers HTTP {status}", status)
    if status >= 400:
        said = one_line(response.text)
        kind = RefusesAll if status in CONCERNS_ALL else Refused
        raise kind(f"{path} answers HTTP {status} ({said}).")


def _fields(path: str, reply: Any, **checks: Check) -> dict[str, Any]:
    """Return the named fields of an answer.

    Raises:
        ApiAway: one is missing or has a wrong value, so another program may have answered.
    """
    if not isinstance(reply, Mapping):
        raise ApiAway(f"{path} answers with no object, but {_shown(reply)}")
    found = {}
    for name, check in checks.items():
        try:
            found[name] = check(reply.get(name))
        except ValueError:
            raise ApiAway(f"{path} answers with {name}: {_shown(reply.get(name))}") from None
    return found


def _shown(value: Any) -> str:
    is_simple = value is None or isinstance(value, str | int | float)
    return one_line(repr(value), 60) if is_simple else f"a {type(value).__name__}"


def _whole(least: int) -> Check:
    def check(value: Any) -> int:
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if type(value) is not int or not least <= value <= MOST:
            raise ValueError
        return value

    return check


def _number(least: float, most: float) -> Check:
    def check(value: Any) -> float:
        if type(value) not in (int, float) or not -MOST <= value <= MOST:
            raise ValueError
        return float(min(most, max(least, value)))

    return check


def _batch_size(value: Any) -> int:
    size: int = _whole(-1)(value)
    if size == 0:
        raise ValueError
    return size


def _text(most: int = 1000) -> Check:
    def check(value: Any) -> str:
        if not isinstance(value, str) or len(value) > most or not value.isprintable():
            raise ValueError
        return value

    return check


def _name(value: Any) -> str:
    """Check the name of a run, which may become a part of paths and of names of metrics."""
    path = PurePosixPath(_text(400)(value))
    if not value or path.is_absolute() or ".." in path.parts:
        raise ValueError
    return str(value)


def _optional(check: Check) -> Check:
    return lambda value: None if value is None else check(value)
