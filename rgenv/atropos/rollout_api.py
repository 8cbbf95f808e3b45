"""RolloutApi: what an environment asks of the rollout API, through outages and restarts."""

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Any, TypeVar
from urllib.parse import urlparse

from rgenv.atropos.api_client import ApiClient, NotKnown, Refused, Sizes
from rgenv.errors import StartupError
from rgenv.inference.http import quoted, require_answer
from rgenv.runtime.backoff import insist
from rgenv.secrets import hide
from rgenv.text import describe

T = TypeVar("T")

STATUS_RATE = 100
"""Maximum number of status requests per second, of all replicas together.

The API is one process and searches its queue for each request.
"""

SIZES_SECONDS = 10.0
"""Seconds between two looks at the trainer's sizes, which may change when it comes back."""

TRAINER_SECONDS = 1.0
"""Seconds between two looks whether the trainer is there, and before registering again."""

DISCONNECT_SECONDS = 5.0

log = logging.getLogger("ReasoningGymEnv")


Doing = Callable[[str], AbstractContextManager[object]]
"""A context for something that takes long, which says what that is."""


class RolloutApi:
    """A client of the rollout API.

    Args:
        patience: seconds for which the API may be unavailable.
        num_replicas: the number of environments that ask for their status.
        doing: a context for each wait for the trainer, which says so.

    Attributes:
        client: sends the requests.
        registered: whether this environment has registered before.
    """

    def __init__(
        self,
        url: str,
        *,
        patience: float,
        num_replicas: int,
        doing: Doing = contextlib.nullcontext,
    ) -> None:
        self.url = url
        self._shown_url = hide(url)
        self.client = ApiClient(url)
        self.registered = False
        self.patience = patience
        self._doing = doing
        self._status_interval = num_replicas / STATUS_RATE
        self._answered_at = self._sized_at = float("-inf")
        self._asking_since: float | None = None

    @property
    def status_is_due(self) -> bool:
        """Whether it is this replica's turn to ask for its status."""
        return time.monotonic() - self._answered_at >= self._status_interval

    @property
    def silent_for(self) -> float:
        """Seconds for which a request of `call` has been unanswered; 0 if there is none."""
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
        asking = f"Asking {self._shown_url} for its status"
        try:
            status = await self.call(self.client.status, asking, few=(Refused, NotKnown))
            is_known = status["current_step"] >= step
        except NotKnown:
            await self.leave()  # in case the API still has our old registration
            is_known = False
        if not is_known:
            log.warning("The rollout API was restarted: registering again.")
            await asyncio.sleep(TRAINER_SECONDS)
            await register()
            status = await self.call(self.client.status, asking)
        self._answered_at = time.monotonic()
        return status

    async def call(
        self,
        action: Callable[[], Awaitable[T]],
        doing: str,
        few: tuple[type[Exception], ...] = (Refused,),
    ) -> T:
        """Return `action`'s result, retrying while the rollout API is unavailable; so do all below.

        Args:
            doing: names the request in messages, such as "Asking for the batch size".
            few: the errors that are raised after a few in a row.

        Raises:
            StartupError: the API refuses, or is unavailable for longer than the patience.
        """
        self._asking_since = self._asking_since or time.monotonic()
        try:
            return await insist(action, seconds=self.patience, doing=doing, on=(OSError,), few=few)
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

    async def require(self, timeout: float) -> None:
        """Wait until the API answers; raise StartupError after `timeout` seconds."""
        await require_answer(
            f"{self.url}/",
            timeout,
            f"No rollout API answers at {self._shown_url}: start it with `run-api --port "
            f"{urlparse(self.url).port or 8000}`, or set --env.rollout_server_url.",
            judge=lambda status, body: None if "AtroposLib" in body else quoted(status, body),
        )

    async def register(self, environment: Mapping[str, Any]) -> dict[str, Any]:
        """Wait for the trainer, register this environment, and return the API's reply."""
        await self.wait_for_trainer()

        async def ask() -> dict[str, Any]:
            doing = f"Registering with {self._shown_url}"
            return await self.call(lambda: self.client.register(environment), doing)

        if (reply := await ask())["status"] != "success":
            first = f"Waiting for the trainer to ask {self._shown_url} for its first batch"
            with self._doing(first):
                while (reply := await ask())["status"] != "success":
                    await asyncio.sleep(TRAINER_SECONDS)
        self.client.env_id = reply["env_id"]
        return reply

    async def wait_for_trainer(self) -> Mapping[str, str | None]:
        """Wait until a trainer has registered; return its `group` and `project` in wandb."""
        ask, asking = self.client.wandb, f"Asking {self._shown_url} for a trainer"
        if (trainer := await self.call(ask, asking))["project"] is None:
            with self._doing(f"Waiting for a trainer to register with {self._shown_url}"):
                while (trainer := await self.call(ask, asking))["project"] is None:
                    await asyncio.sleep(TRAINER_SECONDS)
        return trainer

    @property
    def sizes_are_due(self) -> bool:
        return time.monotonic() - self._sized_at >= SIZES_SECONDS

    async def sizes(self) -> Sizes:
        sizes = await self.call(self.client.sizes, "Asking for the batch size")
        self._sized_at = time.monotonic()
        return sizes

    async def leave(self) -> None:
        """Unregister this environment; if the API does not answer, do nothing.

        An environment that ends without this while it holds an allocation stalls all others.
        """
        if self.client.env_id is not None:
            with contextlib.suppress(OSError, Refused):
                await self.client.disconnect(DISCONNECT_SECONDS)
            self.client.env_id = None


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
