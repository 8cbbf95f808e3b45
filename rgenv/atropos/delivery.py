"""Delivery: sends groups to the rollout API and counts those delivered, refused and lost.

Cancelling `send` does not stop the delivery. Groups are sent one at a time, so that one body at
most is in memory. A group without a receipt is sent again, and may then arrive twice: a trainer can
recognize it by ``group_overrides.group_id``.
"""

import asyncio
import functools
import gzip
import json
import logging
import time
from collections.abc import Callable, Mapping
from typing import Any, Literal

from msgspec import Struct

from rgenv.atropos.rollout_api import TRAINER_SECONDS, ApiAway, Refused, RolloutApi, Sizes
from rgenv.errors import StartupError
from rgenv.rollouts.metrics import Fate
from rgenv.runtime.backoff import REFUSALS, insist
from rgenv.runtime.parts import end
from rgenv.text import counted, describe

log = logging.getLogger(__name__)

Payload = Mapping[str, Any]

COMPRESS_FROM = 1024
"""Bytes from which a request is compressed with gzip."""

SENDING_SECONDS = 60.0
"""Seconds for a request with a group."""


class Receipt(Struct):
    status: Literal["received", "buffered"]


class Delivery:
    """Sends groups to one rollout API, and retries within its patience until each is settled.

    A group that is lost ends the run, and so do `REFUSALS` in a row that are refused: what comes
    after them would fare no better.

    Args:
        settled: receives each group when its fate is known: trained, refused or too long.
        abort: ends the run with an error.

    Attributes:
        delivered, refused, lost: numbers of groups. Groups that are not valid JSON are refused.
    """

    def __init__(
        self,
        api: RolloutApi,
        *,
        settled: Callable[[Payload, Fate], None],
        abort: Callable[[Exception], None],
    ) -> None:
        self._api, self._settled, self._abort = api, settled, abort
        self._one_at_a_time = asyncio.Lock()
        self._sending: set[asyncio.Task[None]] = set()
        self._refused_in_a_row = 0
        self.delivered = self.refused = self.lost = 0
        self._reported = 0
        self._why, self._began = "there was no time left", 0.0

    async def send(self, group: Payload) -> None:
        """Send one group and wait for the result; cancelling this does not stop the delivery.

        A group that is refused or lost raises nothing; it is logged and counted.

        Raises:
            ValueError: the group holds NaN or infinity; nothing was sent.
        """
        task = asyncio.create_task(self._send_and_count(group))
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)
        await asyncio.shield(task)

    def delivered_since_last_asked(self) -> int:
        """Return the number of groups delivered since the last call."""
        number, self._reported = self.delivered - self._reported, self.delivered
        return number

    @property
    def sending_for(self) -> float:
        """Seconds for which the current group has been sent; 0 if none is being sent."""
        return time.monotonic() - self._began if self._one_at_a_time.locked() else 0.0

    async def drain(self, seconds: float) -> None:
        """Wait up to `seconds` for groups that are being sent; count the others as lost."""
        if self._sending:
            _, late = await asyncio.wait(self._sending, timeout=seconds)
            await end(late)
        if self.lost:
            number = counted(self.lost, "scored group")
            log.error("%s did not reach the rollout API (%s).", number, self._why)

    async def _send_and_count(self, group: Payload) -> None:
        send = functools.partial(self._send_if_wanted, group)
        doing, patience = "Sending a group to the rollout API", self._api.patience
        try:
            async with self._one_at_a_time:
                self._began = time.monotonic()
                # Without a trainer there is no fate; that is no outage.
                while (
                    fate := await insist(send, seconds=patience, doing=doing, on=(OSError,))
                ) is None:
                    await asyncio.sleep(TRAINER_SECONDS)
        except asyncio.CancelledError:
            self.lost += 1
            raise
        except OSError as error:
            self.lost += 1
            self._why = describe(error)
            self._abort(
                StartupError(
                    f"The rollout API took no group for {patience:g} s "
                    f"({describe(error)}): check it, then start again."
                )
            )
        except (Refused, ValueError) as error:
            self.refused += 1
            self._settled(group, "refused")
            if isinstance(error, ValueError):
                raise
            log.error("The rollout API refused a group: %s", error)
            self._refused_in_a_row += 1
            if self._refused_in_a_row == REFUSALS:
                self._abort(StartupError(f"The rollout API refuses our groups: {error}"))
        else:
            if fate == "trained":
                self.delivered += 1
                self._refused_in_a_row = 0
            self._settled(group, fate)

    async def _send_if_wanted(self, group: Payload) -> Fate | None:
        """Send a group if the trainer takes it; None: there is no trainer.

        The trainer may have come back with another limit while the group waited, and a group that
        comes before the trainer would block the API.
        """
        try:
            sizes = await self._api.ask("GET", "/info", Sizes)
        except Refused as error:  # of a question, not of the group
            raise ApiAway(str(error)) from None
        if sizes.batch_size == -1:
            return None
        if max(map(len, group["tokens"]), default=0) >= sizes.max_token_len > 0:
            return "too_long"
        content = {**group, "env_id": self._api.env_id}
        body, headers = await asyncio.to_thread(_encoded, content)
        await self._api.ask(
            *("POST", "/scored_data", Receipt, body), headers=headers, seconds=SENDING_SECONDS
        )
        return "trained"


def _encoded(group: Payload) -> tuple[bytes, dict[str, str]]:
    """Return the body of a request and its headers.

    Rows are encoded one by one, because all at once would hold the event loop for 0.1 s.
    """
    dumps = functools.partial(json.dumps, allow_nan=False)
    fields = []
    for name, value in group.items():
        rows = f"[{', '.join(map(dumps, value))}]" if isinstance(value, list) else dumps(value)
        fields.append(f"{dumps(name)}: {rows}")
    body = f"{{{', '.join(fields)}}}".encode()
    if len(body) < COMPRESS_FROM:
        return body, {}
    return gzip.compress(body, 1), {"Content-Encoding": "gzip"}
