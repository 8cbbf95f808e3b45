"""ApiClient: single requests to the rollout API, whose answers are checked before they are used.

::

    client = ApiClient("http://localhost:8000")
    await client.sizes()                # Sizes(batch_size=1024, max_token_len=8193)
    await client.send(body, headers)    # returns once the API has given a receipt

Whatever another program answers in its place, a request has one of three ends: a value of the right
type, `ApiAway` (another attempt may succeed), or `Refused`.
"""

import json
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Annotated, Any, NamedTuple

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, ValidationError

from rgenv.inference.http import NoAnswer, Response, ask
from rgenv.runtime.large_json import TooManyValues
from rgenv.text import one_line

REQUEST_SECONDS = 30.0
SENDING_SECONDS = 60.0
"""Seconds for a request, and for one with a group."""

LEAST_WEIGHT = 0.01
"""What the rollout API gives an environment at least. With none, no request would be sent."""

MOST = 2**53
MAY_WORK_LATER = (408, 425, 429)
CONCERNS_ALL = (401, 403, 404, 405, 407)
"""Status codes that concern the address or the account, not one group."""

RECEIPTS = ("received", "buffered")


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


def _is_number(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("no number")
    return value


def _is_not_zero(value: int) -> int:
    if value == 0:
        raise ValueError("zero")
    return value


def _is_printable(value: str) -> str:
    if not value.isprintable():
        raise ValueError("not printable")
    return value


def _is_name(value: str) -> str:
    """Check the name of a run, which may become a part of paths and of names of metrics."""
    path = PurePosixPath(value)
    if not value or path.is_absolute() or ".." in path.parts:
        raise ValueError("no name")
    return value


Whole = Annotated[int, BeforeValidator(_is_number), Field(ge=-MOST, le=MOST)]
Count = Annotated[Whole, Field(ge=0)]
Number = Annotated[float, BeforeValidator(_is_number), Field(ge=-MOST, le=MOST)]
Text = Annotated[str, AfterValidator(_is_printable)]


class _Answered(BaseModel):
    status: Annotated[Text, Field(max_length=80)]


class _Registration(_Answered):
    env_id: Count
    wandb_name: Annotated[Text, Field(max_length=400), AfterValidator(_is_name)]
    checkpoint_dir: Annotated[Text, Field(max_length=4096)]
    starting_step: Count
    checkpoint_interval: Whole
    num_steps: Whole


class _Status(BaseModel):
    current_step: Count
    queue_size: Count
    self_queue_size: Count
    max_group_size: Annotated[Whole, Field(ge=1)] = 1
    unallocated_fraction: Annotated[Number, AfterValidator(lambda n: min(1.0, max(0.0, n)))] = 1.0
    env_weight: Annotated[Number, AfterValidator(lambda n: min(1.0, max(LEAST_WEIGHT, n)))]


class _Info(BaseModel):
    batch_size: Annotated[Whole, Field(ge=-1), AfterValidator(_is_not_zero)]
    max_token_len: Whole


class _Trainer(BaseModel):
    group: Annotated[Text, Field(max_length=1000)] | None
    project: Annotated[Text, Field(max_length=1000)] | None


class ApiClient:
    """Sends requests to the rollout API; each of them raises ApiAway or Refused.

    Attributes:
        env_id: this environment's id at the API; None before it has one, and after it has left.
        known_sizes: what the API said last of the trainer's sizes.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self.env_id: int | None = None
        self.known_sizes = Sizes()

    async def register(self, environment: Mapping[str, Any]) -> dict[str, Any]:
        """Register an environment; until the trainer's first batch, the status is not "success"."""
        reply = await self._json("POST", "/register-env", environment)
        status: str = _checked("/register-env", reply, _Answered)["status"]
        if status == "success":
            return _checked("/register-env", reply, _Registration)
        if not status.startswith("wait"):
            raise ApiAway(f"/register-env answers with status {status!r}")
        return {"status": status}

    async def status(self) -> dict[str, Any]:
        """Return step, queue and weight, as Atropos reads them."""
        reply = await self._json("GET", "/status-env", {"env_id": self.env_id})
        if isinstance(reply, Mapping):
            reply = {"self_queue_size": reply.get("queue_size"), **reply}
        return _checked("/status-env", reply, _Status)

    async def sizes(self) -> Sizes:
        reply = await self._json("GET", "/info")
        self.known_sizes = Sizes(**_checked("/info", reply, _Info))
        return self.known_sizes

    async def wandb(self) -> dict[str, str | None]:
        """Return the trainer's `group` and `project` in wandb; None: no trainer has registered."""
        reply = await self._json("GET", "/wandb_info")
        return _checked("/wandb_info", reply, _Trainer)

    async def send(self, body: bytes, headers: Mapping[str, str]) -> None:
        """Send a group; returns once the API has given a receipt."""
        reply = await self._json(
            "POST", "/scored_data", body, headers=headers, seconds=SENDING_SECONDS
        )
        status = _checked("/scored_data", reply, _Answered)["status"]
        if status not in RECEIPTS:
            raise ApiAway(f"/scored_data gives no receipt, but status {status!r}")

    async def disconnect(self, seconds: float) -> None:
        await self._json("POST", "/disconnect-env", {"env_id": self.env_id}, seconds=seconds)

    async def _json(
        self, method: str, path: str, body: Mapping[str, Any] | bytes | None = None, **more: Any
    ) -> Any:
        response = await self._response(method, path, body, **more)
        try:
            return await _json_of(path, response)
        except TooManyValues as error:
            raise ApiAway(f"{path} sends {error}") from None

    async def _response(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | bytes | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        seconds: float = REQUEST_SECONDS,
    ) -> Response:
        content = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        try:
            response = await ask(
                method,
                f"{self._url}{path}",
                seconds=seconds,
                body=content,
                headers=headers,
            )
        except NoAnswer as error:
            raise ApiAway(f"{path} {error}") from None
        _require_success(path, response)
        return response


async def _json_of(path: str, response: Response) -> Any:
    try:
        return await response.json()
    except TooManyValues:
        raise
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


def _checked(path: str, reply: Any, model: type[BaseModel]) -> dict[str, Any]:
    """Return the fields of an answer; with another value, another program may have answered."""
    if not isinstance(reply, Mapping):
        raise ApiAway(f"{path} answers with no object, but {_shown(reply)}")
    try:
        return model.model_validate(reply).model_dump()
    except ValidationError as error:
        name = str(error.errors()[0]["loc"][0])
        raise ApiAway(f"{path} answers with {name}: {_shown(reply.get(name))}") from None


def _shown(value: Any) -> str:
    is_simple = value is None or isinstance(value, str | int | float)
    return one_line(repr(value), 60) if is_simple else f"a {type(value).__name__}"
