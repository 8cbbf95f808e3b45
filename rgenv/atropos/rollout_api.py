"""RolloutApi: what an environment asks of the rollout API, through outages and restarts.

`ask` sends one request; the other methods repeat theirs for as long as the patience.
"""

import asyncio
import contextlib
import functools
import json
import logging
import math
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Any, TypeVar
from urllib.parse import urlparse

import msgspec
from msgspec import Struct

from rgenv.atropos.options import FROM_TRAINER
from rgenv.errors import StartupError
from rgenv.inference.http import NoAnswer, ask, quoted, require_answer
from rgenv.runtime.backoff import insist
from rgenv.secrets import hide
from rgenv.text import describe, one_line

T = TypeVar("T")

REQUEST_SECONDS, DISCONNECT_SECONDS = 30.0, 5.0
"""Seconds for a request, and for the last one."""

TRAINER_SECONDS, SIZES_SECONDS = 1.0, 10.0
"""Seconds between two looks whether the trainer is there, and at its sizes, which may change when
it comes back."""

NOT_OF_ONE_GROUP = (401, 403, 404, 405, 407, 408, 425, 429)
"""Status codes below 500 that may go away: they concern the address, the account or the moment."""

log = logging.getLogger("ReasoningGymEnv")


class ApiAway(OSError):
    """The rollout API is unavailable, or another program answers; another attempt may succeed."""


class NotKnown(ApiAway):
    """It answers /status-env with 500, as it does to an environment that it does not know."""


class Refused(Exception):
    """The rollout API refuses a request."""


class Sizes(Struct):
    """What the trainer takes: sequences in a batch, and the length that each stays below.

    -1 stands for what no trainer has said.
    """

    batch_size: int
    max_token_len: int


class Trainer(Struct):
    """A trainer's group and project in wandb; no project: no trainer has registered."""

    group: str | None
    project: str | None


class _Status(Struct):
    current_step: int
    queue_size: int
    env_weight: float
    self_queue_size: int = 0
    max_group_size: int = 1
    unallocated_fraction: float = 1.0


class RolloutApi:
    """A client of the rollout API.

    Args:
        patience: seconds for which the API may be unavailable.
        doing: a context for each wait for the trainer, which says so.

    Attributes:
        env_id: this environment's id at the API; None before it has one, and after it has left.
        registered: whether this environment has registered before.
    """

    def __init__(
        self,
        url: str,
        *,
        patience: float,
        doing: Callable[[str], AbstractContextManager[object]] = contextlib.nullcontext,
    ) -> None:
        self.url, self.patience = url, patience
        self.env_id: int | None = None
        self.registered = False
        self._shown_url, self._doing = hide(url), doing
        self._sized_at = -math.inf
        self._asking_since: float | None = None

    async def require(self, timeout: float) -> None:
        """Wait until the API answers; raise StartupError after `timeout` seconds."""
        await require_answer(
            f"{self.url}/",
            timeout,
            f"No rollout API answers at {self._shown_url}: start it with `run-api --port "
            f"{urlparse(self.url).port or 8000}`, or set --env.rollout_server_url.",
            judge=lambda status, body: (
                None
                if "AtroposLib" in body
                else f"another server answers there, so take another port: {quoted(status, body)}"
            ),
        )

    # Registering

    async def wait_for_trainer(self) -> Trainer:
        """Wait until a trainer has registered, and return it."""
        return await self._until(
            lambda trainer: trainer.project is not None,
            f"Waiting for a trainer to register with {self._shown_url}",
            lambda: self._call("GET", "/wandb_info", Trainer),
        )

    async def register(self, environment: Mapping[str, Any]) -> dict[str, Any]:
        """Wait for the trainer, register this environment, and return the API's reply."""
        await self.wait_for_trainer()
        reply = await self._until(
            lambda reply: "env_id" in reply,
            f"Waiting for the trainer to ask {self._shown_url} for its first batch",
            lambda: self._call("POST", "/register-env", dict[str, Any], environment),
        )
        self.env_id = reply["env_id"]
        return reply

    async def _until(
        self, is_there: Callable[[T], bool], waiting: str, ask: Callable[[], Awaitable[T]]
    ) -> T:
        """Repeat a request until its answer is there; say so if the first one is not."""
        if not is_there(answer := await ask()):
            with self._doing(waiting):
                while not is_there(answer := await ask()):
                    await asyncio.sleep(TRAINER_SECONDS)
        return answer

    async def leave(self) -> None:
        """Unregister this environment, once, because others would wait for its groups.

        If the API does not answer, do nothing.
        """
        if self.env_id is not None:
            me, self.env_id = {"env_id": self.env_id}, None
            with contextlib.suppress(OSError, Refused):
                await self.ask("POST", "/disconnect-env", dict, me, seconds=DISCONNECT_SECONDS)

    # While groups are made

    @property
    def silent_for(self) -> float:
        """Seconds for which a request has been unanswered; 0 if there is none."""
        return 0.0 if self._asking_since is None else time.monotonic() - self._asking_since

    async def refresh(
        self, *, step: int, register: Callable[[], Awaitable[None]]
    ) -> dict[str, Any]:
        """Return the status; register again if the API was restarted and does not know us.

        Args:
            step: the trainer's step so far. An API that is behind it was restarted, and may have
                given our id to another environment.
            register: registers this environment.
        """
        status = None
        try:
            status = await self._status(few=(Refused, NotKnown))
        except NotKnown:
            await self.leave()  # in case the API still has our old registration
        if status is None or status.current_step < step:
            log.warning("The rollout API was restarted: registering again.")
            await asyncio.sleep(TRAINER_SECONDS)
            await register()
            status = await self._status()
        return msgspec.structs.asdict(status)

    async def _status(self, few: tuple[type[Exception], ...] = (Refused,)) -> _Status:
        return await self._call("GET", "/status-env", _Status, {"env_id": self.env_id}, few=few)

    async def step(self) -> int:
        """Return the trainer's step."""
        return (await self._status()).current_step

    @property
    def sizes_are_due(self) -> bool:
        return time.monotonic() - self._sized_at >= SIZES_SECONDS

    async def sizes(self) -> Sizes:
        self._sized_at = time.monotonic()
        return await self._call("GET", "/info", Sizes)

    async def _call(
        self,
        method: str,
        path: str,
        kind: type[T],
        body: Mapping[str, Any] | None = None,
        *,
        few: tuple[type[Exception], ...] = (Refused,),
    ) -> T:
        """Repeat a request while the rollout API is unavailable.

        Args:
            few: the errors that are raised after a few in a row.

        Raises:
            StartupError: the API refuses, or is unavailable for longer than the patience.
        """
        doing = f"Asking {self._shown_url}{path}"
        asking = functools.partial(self.ask, method, path, kind, body)
        self._asking_since = self._asking_since or time.monotonic()
        try:
            return await insist(asking, seconds=self.patience, doing=doing, on=(OSError,), few=few)
        except Refused as error:
            raise StartupError(f"The rollout API refuses us: {error}") from None
        except OSError as error:
            if isinstance(error, few):
                raise
            raise StartupError(
                f"{doing} failed ({describe(error)}): check the rollout API, then start again."
            ) from None
        finally:
            self._asking_since = None

    async def ask(
        self,
        method: str,
        path: str,
        kind: type[T],
        body: Mapping[str, Any] | bytes | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        seconds: float = REQUEST_SECONDS,
    ) -> T:
        """Ask once for an answer of this type; one of another type may be another program's.

        Raises:
            ApiAway: there is none; another attempt may succeed.
            Refused: the API refuses the request.
        """
        sent = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        try:
            response = await ask(
                *(method, f"{self.url}{path}"), seconds=seconds, body=sent, headers=headers
            )
        except NoAnswer as error:
            raise ApiAway(f"{path} {error}") from None
        status = response.status
        if response.is_redirect:
            raise ApiAway(
                f"{path} redirects to {response.location}, and redirects are not followed: set "
                "--env.rollout_server_url to the address of run-api itself"
            )
        if (path, status) == ("/status-env", 500):
            raise NotKnown(f"{path} answers HTTP {status}")
        if status >= 500 or status in NOT_OF_ONE_GROUP:
            raise ApiAway(f"{path} answers HTTP {status}")
        if status >= 400:
            raise Refused(f"{path} answers HTTP {status} ({one_line(response.text)}).")
        try:
            return msgspec.json.decode(response.body, type=kind)
        except msgspec.DecodeError as error:
            shown = one_line(response.text, 60)
            raise ApiAway(f"{path} sends no such answer ({error}: {shown!r})") from None


# Whether groups fit what the trainer takes


def check_steps(steps: int, total_steps: int) -> None:
    """Check that the run has an end, or raise StartupError; warn if the trainer's is later."""
    if total_steps == FROM_TRAINER and steps < 1:
        raise StartupError(
            f"The trainer registered num_steps {steps}, so nothing says when this run ends: set "
            "--env.total_steps, or num_steps in the trainer."
        )
    if total_steps != FROM_TRAINER and steps > total_steps:
        log.warning(
            "This environment ends at step %d (--env.total_steps), before the %d steps of the "
            "trainer, which then waits for batches.",
            total_steps,
            steps,
        )


def batch_problems(sizes: Sizes, group_size: int, our_tokens: int) -> Iterator[str]:
    """Yield a sentence for each setting with which groups are dropped, or batches never fill."""
    if 0 < sizes.max_token_len <= our_tokens:
        yield (
            f"The trainer accepts sequences shorter than {sizes.max_token_len} tokens, and ours "
            f"have up to {our_tokens}: groups with a truncated completion will be dropped. Raise "
            "the trainer's max_token_len."
        )
    if why := never_fills(sizes.batch_size, group_size):
        yield f"The trainer's {why}."


def never_fills(batch_size: int, group_size: int) -> str:
    if batch_size % group_size == 0:
        return ""
    return (
        f"batch_size {batch_size} is not a multiple of group_size {group_size}, so a batch may "
        "never fill"
    )
