"""Delivery: sends groups to the rollout API and counts those delivered, refused and lost.

::

    delivery = Delivery("http://localhost:8000", patience=1800)
    await delivery.send(group)      # returns when the API has the group; retries after errors
    await delivery.drain(10)        # waits up to 10 s for groups that are being sent
    delivery.delivered, delivery.refused, delivery.lost

Cancelling `send` does not stop the delivery. Groups are sent one at a time: if a connection breaks
after the request was sent, the API can be asked whether its latest group is ours. A trainer can
recognize a repeated group by ``group_overrides.group_id``.

Not here: which groups are sent (Atropos decides), and registering with the API (rollout_api.py).
"""

from __future__ import annotations

import asyncio
import gzip
import json
import logging
import time
from collections.abc import Callable, Mapping
from typing import Any

import aiohttp

from rgenv.atropos.retrying import retrying
from rgenv.rollouts.group import group_id
from rgenv.runtime.large_json import in_turn
from rgenv.secrets import hide

log = logging.getLogger(__name__)

Payload = Mapping[str, Any]

REQUEST_SECONDS = 60.0
COMPRESS_FROM = 1024
"""Bytes from which a request is compressed with gzip."""
UNAVAILABLE = (aiohttp.ClientError, OSError, TimeoutError, json.JSONDecodeError, KeyError)
"""Exceptions of a request while the server is unavailable, or while a proxy answers for it."""


class ApiAway(OSError):
    """The rollout API is unavailable; another attempt may succeed."""


class Refused(Exception):
    """The rollout API rejects this group for good."""


class Delivery:
    """Sends groups to one rollout API and retries until each is accepted, refused or lost.

    Args:
        url: the address of the API.
        patience: seconds for which a group is retried.
        env_id: returns our id at the API; called for each request.
        in_touch: returns whether the API answered a moment ago; if so, a first attempt does not
            check that a trainer has registered.
        settled: receives each group once it is accepted or refused, and whether it is accepted.

    Attributes:
        delivered: number of groups that the API accepted.
        refused: number of groups that it rejected, or that are not valid JSON.
        lost: number of groups that were not delivered in time.
    """

    def __init__(
        self,
        url: str,
        *,
        patience: float,
        env_id: Callable[[], int | None] = lambda: None,
        in_touch: Callable[[], bool] = lambda: False,
        settled: Callable[[Payload, bool], None] = lambda group, accepted: None,
    ) -> None:
        self._url = url
        self._patience = patience
        self._env_id = env_id
        self._in_touch = in_touch
        self._settled = settled
        self._one_at_a_time = asyncio.Lock()
        self._sending: set[asyncio.Task[None]] = set()
        self.delivered = 0
        self.refused = 0
        self.lost = 0
        self._reported = 0
        self._began = 0.0

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
        if not self._sending:
            return
        _, late = await asyncio.wait(self._sending, timeout=seconds)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)

    async def _send_and_count(self, group: Payload) -> None:
        try:
            async with self._one_at_a_time:
                self._began = time.monotonic()
                await self._send_until_accepted(group)
        except Refused as error:
            self.refused += 1
            self._settled(group, False)
            log.error("The rollout API refused a group: %s.", error)
        except asyncio.CancelledError:
            self._count_lost("there was no time left")
            raise
        except UNAVAILABLE as error:
            self._count_lost(f"{type(error).__name__}: {error}")
        except ValueError:
            self.refused += 1
            self._settled(group, False)
            raise
        else:
            self.delivered += 1
            self._settled(group, True)

    def _count_lost(self, why: str) -> None:
        self.lost += 1
        log.error("A scored group did not reach the rollout API (%s); %d so far.", why, self.lost)

    async def _send_until_accepted(self, group: Payload) -> None:
        limit = aiohttp.ClientTimeout(total=REQUEST_SECONDS)
        async with aiohttp.ClientSession(timeout=limit) as session:
            doing = f"Sending a group to {hide(self._url)}"
            async for attempt in retrying(self._patience, doing, on=UNAVAILABLE):
                with attempt:
                    is_retry = attempt.retry_state.attempt_number > 1
                    if is_retry or not self._in_touch():
                        await self._require_trainer(session)
                    if is_retry and await self._has_arrived(session, group):
                        return
                    await self._post(session, group)

    async def _require_trainer(self, session: aiohttp.ClientSession) -> None:
        """Raise ApiAway before a trainer registers: a group sent earlier would block the API."""
        async with session.get(f"{self._url}/info") as reply:
            info = await reply.json() if reply.status == 200 else {}
        if isinstance(info, dict) and info.get("batch_size") == -1:
            raise ApiAway("no trainer has registered")

    async def _has_arrived(self, session: aiohttp.ClientSession, group: Payload) -> bool:
        """Return whether an earlier attempt arrived although it got no reply."""
        async with session.get(f"{self._url}/latest_example") as reply:
            latest = await reply.json() if reply.status == 200 else {}
        return group_id(group) != "" and group_id(latest) == group_id(group)

    async def _post(self, session: aiohttp.ClientSession, group: Payload) -> None:
        content = {**group, "env_id": self._env_id()}
        body, headers = await in_turn(_json, content), {"Content-Type": "application/json"}
        if len(body) >= COMPRESS_FROM:
            body = await asyncio.to_thread(gzip.compress, body, 1)  # without holding the loop
            headers["Content-Encoding"] = "gzip"
        async with session.post(f"{self._url}/scored_data", data=body, headers=headers) as reply:
            if reply.status >= 500 or reply.status in (408, 425, 429):
                raise ApiAway(f"HTTP {reply.status}")
            if reply.status >= 400:
                raise Refused(f"HTTP {reply.status}, {(await reply.text())[:300]}")
            await reply.json()  # raises if a proxy answered with a page


def _json(content: Payload) -> bytes:
    """Encode a group piece by piece: one ``json.dumps`` would hold the GIL for 0.1 s."""

    def dumps(value: Any) -> bytes:
        return json.dumps(value, allow_nan=False).encode()

    def piecewise(value: Any) -> bytes:
        return b"[%b]" % b", ".join(map(dumps, value)) if isinstance(value, list) else dumps(value)

    return b"{%b}" % b", ".join(
        b"%b: %b" % (dumps(name), piecewise(value)) for name, value in content.items()
    )
