"""RolloutApi: requests to the rollout API, retried during outages and restarts.

::

    api = RolloutApi("http://localhost:8000", patience=1800, num_replicas=16)
    await api.call(action, "Registering")     # retries until the API answers or refuses
    if api.status_is_due:
        ...

Not here: sending groups (delivery.py).
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Any
from urllib.parse import urlparse

import aiohttp
from tenacity import RetryError

from rgenv.atropos.delivery import UNAVAILABLE, ApiAway, Delivery, Payload
from rgenv.atropos.polling import quoted, require_answer
from rgenv.atropos.retrying import retrying
from rgenv.errors import StartupError
from rgenv.rollouts.group import group_id
from rgenv.secrets import hide
from rgenv.text import describe

STATUS_RATE = 100
"""Maximum number of status requests per second, of all replicas together.

The API is one process and searches its queue for each request.
"""

IN_TOUCH_SECONDS = 1.0
"""Within this window after a reply we assume that the API has not been restarted."""

TRAINER_SECONDS = 1.0
"""Seconds between two looks whether the trainer is there."""

DISCONNECT_SECONDS = 5.0
PROGRAMMING_ERRORS = (TypeError, IndexError, AttributeError, NameError, AssertionError)
"""Errors of our code, or of a subclass, that Atropos takes for an outage."""

RESTARTED = "The rollout API was restarted: registering again."
GROUP_TOO_LARGE = (
    "group_size {} does not fit the trainer's batch_size {}: lower --env.group_size or raise the "
    "trainer's."
)

log = logging.getLogger("ReasoningGymEnv")


def without_lines(_what: str) -> AbstractContextManager[None]:
    """Return a context that says nothing."""
    return contextlib.nullcontext()


class RolloutApi:
    """A client of the rollout API.

    Args:
        url: the address of the API.
        patience: seconds for which the API may be unavailable.
        num_replicas: the number of environments that ask for their status.
        env_id: returns this environment's id at the API; None before it has one.
        doing: a context for each wait for the trainer, which says so.
        settled: receives each group that the API accepts or refuses, and whether it accepts it.

    Attributes:
        registered: whether this environment has registered before.
        delivery: sends groups.
    """

    def __init__(
        self,
        url: str,
        *,
        patience: float,
        num_replicas: int,
        env_id: Callable[[], int | None] = lambda: None,
        doing: Callable[[str], AbstractContextManager[None]] = without_lines,
        settled: Callable[[Payload, bool], None] = lambda group, accepted: None,
    ) -> None:
        self.url = url
        self._shown_url = hide(url)
        self.registered = False
        self.delivery = Delivery(
            url,
            patience=patience,
            env_id=env_id,
            in_touch=lambda: self.in_touch,
            settled=settled,
        )
        self._patience = patience
        self._env_id = env_id
        self._doing = doing
        self._status_interval = num_replicas / STATUS_RATE
        self._answered_at = float("-inf")
        self._asking_since: float | None = None

    @property
    def status_is_due(self) -> bool:
        """Whether it is this replica's turn to ask for its status."""
        return time.monotonic() - self._answered_at >= self._status_interval

    @property
    def in_touch(self) -> bool:
        """Whether the API answered a moment ago."""
        return time.monotonic() - self._answered_at < IN_TOUCH_SECONDS

    @property
    def silent_for(self) -> float:
        """Seconds for which a request of `call` has been unanswered; 0 if there is none."""
        return 0.0 if self._asking_since is None else time.monotonic() - self._asking_since

    async def refresh_status(
        self,
        ask: Callable[[], Awaitable[None]],
        register_again: Callable[[], Awaitable[None]],
        *,
        was_restarted: Callable[[], bool],
    ) -> None:
        """Ask for the status; register again if the API was restarted and does not know us.

        Args:
            ask: sends one request and stores the status.
            register_again: registers this environment and stores the status.
            was_restarted: returns whether the stored status shows that the API was restarted.

        Raises:
            StartupError: as for `call`.
        """

        async def ask_as_registered() -> None:
            try:
                await ask()
            except RetryError as error:
                if http_status(error) < 500:
                    raise
                await self.disconnect()  # in case the API still has our old registration
                log.warning(RESTARTED)
                await register_again()
            if was_restarted():
                log.warning(RESTARTED)
                await register_again()

        await self.call(ask_as_registered, f"Asking {self._shown_url} for its status")
        self._answered_at = time.monotonic()

    async def call(self, action: Callable[[], Awaitable[Any]], doing: str) -> Any:
        """Return `action`'s result, retrying while the rollout API is unavailable.

        Args:
            action: sends one request.
            doing: names the request in messages, such as "Asking for the batch size".

        Raises:
            StartupError: the API refuses, or is unavailable for longer than the patience.
        """
        outer, self._asking_since = self._asking_since, self._asking_since or time.monotonic()
        try:
            async for attempt in retrying(self._patience, doing, on=UNAVAILABLE):
                with attempt:
                    return await _unwrapped(action)
        except UNAVAILABLE as error:
            raise StartupError(
                f"{doing} failed ({describe(error)}): check the rollout API, then start again."
            ) from None
        finally:
            self._asking_since = outer

    async def require(self, timeout: float) -> None:
        """Wait until the API answers.

        Raises:
            StartupError: the API does not answer within `timeout` seconds.
        """
        await require_answer(
            f"{self.url}/",
            timeout,
            f"No rollout API answers at {self._shown_url}: start it with `run-api --port "
            f"{urlparse(self.url).port or 8000}`, or set --env.rollout_server_url.",
            judge=lambda status, body: None if "AtroposLib" in body else quoted(status, body),
        )

    async def register(self, request: Callable[[], Awaitable[Any]]) -> Any:
        """Wait for the trainer, register this environment, and return the API's reply.

        Args:
            request: sends one request to register, which fails before the trainer's first batch.

        Raises:
            StartupError: as for `call`.
        """
        if (reply := await self._registration(request))["status"] == "success":
            return reply
        await self.wait_for_trainer()
        with self._doing(f"Waiting for the trainer to ask {self._shown_url} for its first batch"):
            while (reply := await self._registration(request))["status"] != "success":
                await asyncio.sleep(TRAINER_SECONDS)
        return reply

    async def _registration(self, request: Callable[[], Awaitable[Any]]) -> Mapping[str, Any]:
        """Send one request to register; raises StartupError if another program answers."""
        reply = await self.call(request, f"Registering with {self._shown_url}")
        if isinstance(reply, Mapping) and "status" in reply:
            return reply
        raise StartupError(
            f"{self._shown_url} answers a registration with {reply!r:.60}, so it is no rollout "
            "API: set --env.rollout_server_url to the address of `run-api`."
        )

    async def wait_for_trainer(self) -> None:
        """Wait until a trainer has registered.

        Raises:
            StartupError: as for `call`.
        """
        if await self._trainer_is_there():
            return
        with self._doing(f"Waiting for a trainer to register with {self._shown_url}"):
            while not await self._trainer_is_there():
                await asyncio.sleep(TRAINER_SECONDS)

    async def _trainer_is_there(self) -> bool:
        return bool(await self.call(self._has_project, f"Asking {self._shown_url} for a trainer"))

    async def _has_project(self) -> bool:
        async with (
            aiohttp.ClientSession() as session,
            session.get(f"{self.url}/wandb_info") as reply,
        ):
            reply.raise_for_status()
            return (await reply.json())["project"] is not None

    async def latest_group(self) -> str:
        """Return the id of the group that the API received last; empty if there is none.

        Raises:
            StartupError: as for `call`.
        """
        return str(await self.call(self._latest_group, "Asking for the latest group"))

    async def _latest_group(self) -> str:
        url = f"{self.url}/latest_example"
        async with aiohttp.ClientSession() as session, session.get(url) as reply:
            reply.raise_for_status()
            return group_id(await reply.json())

    async def disconnect(self) -> None:
        """Unregister this environment; if the API does not answer, do nothing.

        An environment that ends without this while it holds an allocation stalls all others.
        """
        env_id = self._env_id()
        if env_id is None:
            return
        limit = aiohttp.ClientTimeout(total=DISCONNECT_SECONDS)
        with contextlib.suppress(aiohttp.ClientError, TimeoutError):
            async with aiohttp.ClientSession(timeout=limit) as session:
                await session.post(f"{self.url}/disconnect-env", json={"env_id": env_id})


async def _unwrapped(action: Callable[[], Awaitable[Any]]) -> Any:
    """Await `action` and translate the RetryError that Atropos raises after several attempts.

    Raises:
        StartupError: the API refused the request, so another attempt is pointless.
        ApiAway: the API is unavailable.
        Exception: another error, which another attempt would meet again.
    """
    try:
        return await action()
    except RetryError as error:
        cause = error.last_attempt.exception()
        if isinstance(cause, PROGRAMMING_ERRORS):
            raise cause from None
        if 400 <= http_status(error) < 500:
            raise StartupError(f"The rollout API refuses us: {describe(error)}") from None
        raise ApiAway(describe(error)) from None


def http_status(error: RetryError) -> int:
    """Return the HTTP status of Atropos' last attempt; 0 if there was no reply."""
    return int(getattr(error.last_attempt.exception(), "status", 0))


def batch_problems(
    batch_size: int, group_size: int, trainer_tokens: int, our_tokens: int
) -> Iterator[str]:
    """Describe settings of the trainer with which groups are dropped or batches never fill.

    Args:
        trainer_tokens: the trainer's max_token_len; no limit if it is not positive.
        our_tokens: the maximum length of prompt and completion here.

    Yields:
        One message for each such setting.
    """
    if 0 < trainer_tokens <= our_tokens:
        yield (
            f"The trainer accepts sequences shorter than {trainer_tokens} tokens, and ours have up "
            f"to {our_tokens}: groups with a truncated completion will be dropped. Raise the "
            "trainer's max_token_len."
        )
    if batch_size % group_size:
        yield (
            f"The trainer's batch_size {batch_size} is not a multiple of group_size {group_size}: "
            "batches may never fill."
        )
