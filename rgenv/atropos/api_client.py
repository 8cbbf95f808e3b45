"""ApiClient: single requests to the rollout API, whose answers have types.

A request has one of three ends: a value, `ApiAway` (another attempt may succeed), or `Refused`.
"""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeVar

import msgspec
from msgspec import Struct

from rgenv.inference.http import NoAnswer, Response, ask
from rgenv.text import one_line

REQUEST_SECONDS = 30.0
SENDING_SECONDS = 60.0
"""Seconds for a request, and for one with a group."""

MAY_WORK_LATER = (408, 425, 429)
CONCERNS_ALL = (401, 403, 404, 405, 407)
"""Status codes that concern the address or the account, not one group."""

RECEIPTS = ("received", "buffered")


class ApiAway(OSError):
    """The rollout API is unavailable, or another program answers; another attempt may succeed."""


class NotKnown(ApiAway):
    """It answers /status-env with 500, as it does to an environment that it does not know."""


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


class _Answered(Struct):
    status: str


class _Status(Struct):
    current_step: int
    queue_size: int
    env_weight: float
    self_queue_size: int = 0
    max_group_size: int = 1
    unallocated_fraction: float = 1.0


class _Info(Struct):
    batch_size: int
    max_token_len: int


class _Trainer(Struct):
    group: str | None
    project: str | None


T = TypeVar("T")


class ApiClient:
    """Sends requests to the rollout API; each of them raises ApiAway or Refused.

    Attributes:
        env_id: this environment's id at the API; None before it has one, and after it has left.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self.env_id: int | None = None

    async def register(self, environment: Mapping[str, Any]) -> dict[str, Any]:
        """Register an environment; until the trainer's first batch, the status is not "success"."""
        reply = await self._ask("POST", "/register-env", dict[str, Any], environment)
        status = str(reply.get("status"))
        if status != "success" and not status.startswith("wait"):
            raise ApiAway(f"/register-env answers with status {status!r}")
        return reply

    async def status(self) -> dict[str, Any]:
        """Return step, queue and weight; NotKnown: the API may not know this environment."""
        status = await self._ask("GET", "/status-env", _Status, {"env_id": self.env_id})
        return msgspec.structs.asdict(status)

    async def sizes(self) -> Sizes:
        """Return what the trainer takes."""
        info = await self._ask("GET", "/info", _Info)
        return Sizes(info.batch_size, info.max_token_len)

    async def wandb(self) -> dict[str, str | None]:
        """Return the trainer's `group` and `project` in wandb; None: no trainer has registered."""
        return msgspec.structs.asdict(await self._ask("GET", "/wandb_info", _Trainer))

    async def send(self, body: bytes, headers: Mapping[str, str]) -> None:
        """Send a group; returns once the API has given a receipt."""
        answered = await self._ask(
            "POST", "/scored_data", _Answered, body, headers=headers, seconds=SENDING_SECONDS
        )
        if answered.status not in RECEIPTS:
            raise ApiAway(f"/scored_data gives no receipt, but status {answered.status!r}")

    async def disconnect(self, seconds: float) -> None:
        """Unregister this environment."""
        await self._ask("POST", "/disconnect-env", dict, {"env_id": self.env_id}, seconds=seconds)

    async def _ask(
        self,
        method: str,
        path: str,
        kind: type[T],
        body: Mapping[str, Any] | bytes | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        seconds: float = REQUEST_SECONDS,
    ) -> T:
        """Return an answer of this type; one of another type may be that of another program."""
        content = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        url = f"{self._url}{path}"
        try:
            response = await ask(method, url, seconds=seconds, body=content, headers=headers)
            _require_success(path, response)
            return msgspec.json.decode(response.body, type=kind)
        except NoAnswer as error:
            raise ApiAway(f"{path} {error}") from None
        except msgspec.DecodeError as error:
            shown = one_line(response.text, 60)
            raise ApiAway(f"{path} sends no such answer ({error}: {shown!r})") from None


def _require_success(path: str, response: Response) -> None:
    status = response.status
    if response.is_redirect:
        raise RefusesAll(
            f"{path} redirects to {response.location}, and redirects are not followed: set "
            "--env.rollout_server_url to the address of run-api itself."
        )
    if status >= 500 or status in MAY_WORK_LATER:
        kind = NotKnown if (path, status) == ("/status-env", 500) else ApiAway
        raise kind(f"{path} answers HTTP {status}")
    if status >= 400:
        refusal = RefusesAll if status in CONCERNS_ALL else Refused
        raise refusal(f"{path} answers HTTP {status} ({one_line(response.text)}).")
