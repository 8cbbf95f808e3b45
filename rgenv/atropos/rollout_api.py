"""RolloutApi: what an environment asks of the rollout API and sends to it, through outages.

`ask` sends one request; the other methods repeat theirs for as long as the patience. Groups are
sent one at a time, so that one body at most is in memory. A group without a receipt is sent again,
and may then arrive twice: a trainer can recognize it by ``group_overrides.group_id``.
"""

import asyncio
import contextlib
import functools
import gzip
import json
import logging
import math
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any, Literal, TypeVar
from urllib.parse import urlparse

import msgspec
from msgspec import Struct

from rgenv.atropos.options import FROM_TRAINER
from rgenv.errors import StartupError
from rgenv.inference.http import NoAnswer, ask, quoted, require_answer
from rgenv.rollouts.metrics import Fate
from rgenv.runtime.backoff import REFUSALS, insist
from rgenv.runtime.json_lines import plain
from rgenv.secrets import hide
from rgenv.text import describe, one_line

T = TypeVar("T")
Payload = Mapping[str, Any]

REQUEST_SECONDS, SENDING_SECONDS, DISCONNECT_SECONDS = 30.0, 60.0, 5.0
"""Seconds for a request, for one with a group, and for the last one."""

TRAINER_SECONDS, SIZES_SECONDS = 1.0, 10.0
"""Seconds between two looks whether the trainer is there, and at its sizes, which may change when
it comes back."""

NOT_OF_ONE_GROUP = (401, 403, 404, 405, 407, 408, 425, 429)
"""Status codes below 500 that may go away: they concern the address, the account or the moment."""

log = logging.getLogger("ReasoningGymEnv")


class ApiAway(OSError):
    """The rollout API is unavailable, or another program answers; another attempt may succeed."""


class Refused(Exception):
    """The rollout API refuses a request."""


class NotKnown(Refused):
    """It answers /status-env with 500, as it does to an environment that it does not know."""


class Sizes(Struct):
    """A trainer's sequences in a batch, and the length that each stays below; -1: unknown."""

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


class _Receipt(Struct):
    status: Literal["received", "buffered"]


class RolloutApi:
    """A client of the rollout API.

    A group that is lost ends the run, and so do `REFUSALS` in a row that are refused: what comes
    after them would fare no better.

    Args:
        patience: seconds for which the API may be unavailable.
        abort: ends the run with an error.
        doing: a context for each wait for the trainer, which says so.

    Attributes:
        env_id: this environment's id at the API; None before it has one, and after it has left.
        registered: whether this environment has registered before.
        delivered, refused, lost: numbers of groups. Groups that are not valid JSON are refused.
        why_lost: what kept the lost ones from the API.
    """

    def __init__(
        self,
        url: str,
        *,
        patience: float,
        abort: Callable[[Exception], None],
        doing: Callable[[str], AbstractContextManager[object]] = contextlib.nullcontext,
    ) -> None:
        self.url, self.patience = url, patience
        self.env_id: int | None = None
        self.registered = False
        self.delivered = self.refused = self.lost = 0
        self.why_lost = "there was no time left"
        self._shown_url, self._doing = hide(url), doing
        self._abort = abort
        self._sized_at, self._unknown_since = -math.inf, math.inf
        self._asking_since, self._sending_since = math.inf, 0.0
        self._refused_in_a_row = 0
        self._one_at_a_time = asyncio.Lock()

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

    async def wait_for_trainer(self) -> Trainer:
        """Wait until a trainer has registered, and return it."""
        waiting = f"Waiting for a trainer to register with {self._shown_url}"
        ask = functools.partial(self._call, "GET", "/wandb_info", Trainer)
        return await self._until(lambda trainer: trainer.project is not None, waiting, ask)

    async def register(self, environment: Mapping[str, Any]) -> dict[str, Any]:
        """Wait for the trainer, register this environment, and return the API's reply."""
        await self.wait_for_trainer()
        waiting = f"Waiting for the trainer to ask {self._shown_url} for its first batch"
        ask = functools.partial(self._call, "POST", "/register-env", dict[str, Any], environment)
        reply = await self._until(lambda reply: "env_id" in reply, waiting, ask)
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

    async def status(self) -> dict[str, Any] | None:
        """Return the status; None: the API was restarted and does not know us, so we left it.

        Raises:
            StartupError: it has known us for no moment in the seconds of the patience.
        """
        try:
            status = await self._call("GET", "/status-env", _Status, {"env_id": self.env_id})
        except NotKnown as error:
            self._unknown_since = min(self._unknown_since, time.monotonic())
            if time.monotonic() - self._unknown_since > self.patience:
                raise StartupError(
                    f"The rollout API registers us and then does not know us, for "
                    f"{self.patience:g} s ({error}): look at its log, then start again."
                ) from None
            await self.leave()  # in case the API still has our old registration
            return None
        self._unknown_since = math.inf
        return msgspec.structs.asdict(status)

    @property
    def sizes_are_due(self) -> bool:
        return time.monotonic() - self._sized_at >= SIZES_SECONDS

    async def sizes(self) -> Sizes:
        self._sized_at = time.monotonic()
        return await self._call("GET", "/info", Sizes)

    async def leave(self) -> None:
        """Unregister this environment, once, because others would wait for its groups.

        If the API does not answer, do nothing.
        """
        if self.env_id is not None:
            me, self.env_id = {"env_id": self.env_id}, None
            with contextlib.suppress(OSError, Refused):
                await self.ask("POST", "/disconnect-env", dict, me, seconds=DISCONNECT_SECONDS)

    @property
    def silent_for(self) -> float:
        """Seconds for which a request has been unanswered; 0 if there is none."""
        return max(0.0, time.monotonic() - self._asking_since)

    async def _call(
        self, method: str, path: str, kind: type[T], body: Mapping[str, Any] | None = None
    ) -> T:
        """Repeat a request while the rollout API is unavailable.

        Raises:
            NotKnown: the API does not know this environment.
            StartupError: the API refuses, or is unavailable for longer than the patience.
        """
        doing = f"Asking {self._shown_url}{path}"
        asking = functools.partial(self.ask, method, path, kind, body)
        few = (Refused,)  # which may be a proxy's
        self._asking_since = time.monotonic()
        try:
            return await insist(asking, seconds=self.patience, doing=doing, on=(OSError,), few=few)
        except NotKnown:
            raise
        except Refused as error:
            raise StartupError(f"The rollout API refuses us: {error}") from None
        except OSError as error:
            raise StartupError(
                f"{doing} failed ({describe(error)}): check the rollout API, then start again."
            ) from None
        finally:
            self._asking_since = math.inf

    # Groups

    @property
    def sending_for(self) -> float:
        """Seconds for which the current group has been sent; 0 if none is being sent."""
        is_sending = self._one_at_a_time.locked()
        return time.monotonic() - self._sending_since if is_sending else 0.0

    async def send(self, group: Payload) -> Fate | None:
        """Send one group, for as long as the patience; return its fate, or None if it is lost."""
        sending, doing = functools.partial(self._send, group), "Sending a group to the rollout API"
        try:
            async with self._one_at_a_time:
                self._sending_since = time.monotonic()
                # Without a trainer there is no fate; that is no outage.
                while (
                    fate := await insist(sending, seconds=self.patience, doing=doing, on=(OSError,))
                ) is None:
                    await asyncio.sleep(TRAINER_SECONDS)
        except asyncio.CancelledError:
            self.lost += 1
            raise
        except OSError as error:
            self.lost += 1
            self.why_lost = describe(error)
            self._abort(
                StartupError(
                    f"The rollout API took no group for {self.patience:g} s "
                    f"({self.why_lost}): check it, then start again."
                )
            )
            return None
        except (Refused, TypeError, ValueError) as error:  # one that is not JSON was not sent
            self.refused += 1
            log.error("The rollout API refused a group: %s", error)
            self._refused_in_a_row += 1
            if self._refused_in_a_row == REFUSALS:
                self._abort(StartupError(f"The rollout API refuses our groups: {error}"))
            return "refused"
        if fate == "trained":
            self.delivered += 1
            self._refused_in_a_row = 0
        return fate

    async def _send(self, group: Payload) -> Fate | None:
        """Send a group if the trainer takes it; None: there is no trainer.

        The trainer may have come back with another limit while the group waited, and a group that
        comes before the trainer would block the API.
        """
        try:
            sizes = await self.ask("GET", "/info", Sizes)
        except Refused as error:  # of a question, not of the group
            raise ApiAway(str(error)) from None
        if sizes.batch_size == -1:
            return None
        if max(map(len, group["tokens"]), default=0) >= sizes.max_token_len > 0:
            return "too_long"
        body = await asyncio.to_thread(_encoded, {**group, "env_id": self.env_id})
        encoding = {"Content-Encoding": "gzip"}
        asked = "POST", "/scored_data", _Receipt, body
        await self.ask(*asked, headers=encoding, seconds=SENDING_SECONDS)
        return "trained"

    # One request

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
        url, sent = f"{self.url}{path}", body
        if not isinstance(sent, bytes | None):
            sent = json.dumps(sent).encode()
        try:
            response = await ask(method, url, seconds=seconds, body=sent, headers=headers)
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


def _encoded(group: Payload) -> bytes:
    """Return the body of a request.

    Rows are encoded one by one, because all at once would hold the event loop for 0.1 s.
    """
    dumps = functools.partial(json.dumps, allow_nan=False, default=plain)
    fields = []
    for name, value in group.items():
        rows = f"[{', '.join(map(dumps, value))}]" if isinstance(value, list) else dumps(value)
        fields.append(f"{dumps(name)}: {rows}")
    return gzip.compress(f"{{{', '.join(fields)}}}".encode(), 1)


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
            *(total_steps, steps),
        )


def never_fills(batch_size: int, group_size: int) -> str:
    """Say why batches of groups may never fill; empty if they do."""
    if batch_size % group_size == 0:
        return ""
    return (
        f"batch_size {batch_size} is not a multiple of group_size {group_size}, so a batch may "
        "never fill"
    )
