"""Groups on their way to the rollout API: each arrives, is refused, or is counted as lost.

::

    delivery = Delivery("http://localhost:8000", patience=1800)
    await delivery.send(group)      # waits until the API has it, through restarts and errors
    await delivery.drain(10)        # what is still under way gets ten seconds
    delivery.delivered, delivery.refused, delivery.lost

Whoever waits for `send` may be cancelled: the group goes on. Groups go one after the other, so that
after a connection that broke too late the API can be asked whether it has the last one. A group
carries ``group_overrides.group_id``, by which a trainer could still tell a repetition.

Not here: which groups are worth sending, and registering with the API.
"""

from __future__ import annotations

import asyncio
import functools
import gzip
import json
import logging
from collections.abc import Callable, Mapping
from typing import Any

import aiohttp

from rgenv.runtime.backoff import retrying

log = logging.getLogger(__name__)

Payload = Mapping[str, Any]

REQUEST_SECONDS = 60.0
COMPRESS_FROM = 1024
"""Bytes; the API takes gzip."""
UNAVAILABLE = (aiohttp.ClientError, OSError, TimeoutError, json.JSONDecodeError, KeyError)
"""What a request raises while a server is away, or something else answers in its place."""


class ApiAway(OSError):
    """The rollout API can't take a group now; later it may."""


class Refused(Exception):
    """The rollout API will never take this group."""


class Delivery:
    """Sends groups to one rollout API, each until it is known what became of it.

    Args:
        url: of the API.
        patience: seconds for which a group is tried again.
        env_id: our number at the API, looked up whenever a group is sent.
        in_touch: whether the API answered us just now, so that it need not be asked.
    """

    def __init__(
        self,
        url: str,
        *,
        patience: float,
        env_id: Callable[[], int | None] = lambda: None,
        in_touch: Callable[[], bool] = lambda: False,
    ) -> None:
        self._url = url
        self._patience = patience
        self._env_id = env_id
        self._in_touch = in_touch
        self._turn = asyncio.Lock()
        self._under_way: set[asyncio.Task[None]] = set()
        self.delivered = 0
        self.refused = 0
        self.lost = 0
        self._told = 0

    async def send(self, group: Payload) -> None:
        """Send one group and wait for what becomes of it; being cancelled does not stop it.

        Raises:
            ValueError: it holds a number that is none; nothing was sent.
        """
        task = asyncio.create_task(self._see_through(group))
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        await asyncio.shield(task)

    def delivered_since_last_asked(self) -> int:
        """Groups delivered since the last call."""
        number, self._told = self.delivered - self._told, self.delivered
        return number

    async def drain(self, seconds: float) -> None:
        """Wait for what is under way; what is not through by then is lost, and counted."""
        if not self._under_way:
            return
        _, late = await asyncio.wait(self._under_way, timeout=seconds)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)

    async def _see_through(self, group: Payload) -> None:
        try:
            async with self._turn:
                await self._until_taken(group)
        except Refused as error:
            self.refused += 1
            log.error("The rollout API refused a group: %s.", error)
        except asyncio.CancelledError:
            self._lose("there was no time left")
            raise
        except UNAVAILABLE as error:
            self._lose(f"{type(error).__name__}: {error}")
        except ValueError:
            self.refused += 1
            raise
        else:
            self.delivered += 1

    def _lose(self, why: str) -> None:
        self.lost += 1
        log.error("A scored group did not reach the rollout API (%s); %d so far.", why, self.lost)

    async def _until_taken(self, group: Payload) -> None:
        limit = aiohttp.ClientTimeout(total=REQUEST_SECONDS)
        async with aiohttp.ClientSession(timeout=limit) as session:
            doing = f"Sending a group to {self._url}"
            async for attempt in retrying(self._patience, doing, on=UNAVAILABLE):
                with attempt:
                    if attempt.retry_state.attempt_number > 1 or not self._in_touch():
                        await self._require_trainer(session)
                    if attempt.retry_state.attempt_number > 1 and await self._has(session, group):
                        return
                    await self._post(session, group)

    async def _require_trainer(self, session: aiohttp.ClientSession) -> None:
        """A group that comes before the trainer keeps the API from ever starting."""
        async with session.get(f"{self._url}/info") as reply:
            info = await reply.json() if reply.status == 200 else {}
        if isinstance(info, dict) and info.get("batch_size") == -1:
            raise ApiAway("no trainer has registered")

    async def _has(self, session: aiohttp.ClientSession, group: Payload) -> bool:
        """Whether the group arrived although we were not told."""
        ours = (group.get("group_overrides") or {}).get("group_id")
        async with session.get(f"{self._url}/latest_example") as reply:
            latest = await reply.json() if reply.status == 200 else {}
        theirs = (latest.get("group_overrides") or {}) if isinstance(latest, dict) else {}
        return ours is not None and theirs.get("group_id") == ours

    async def _post(self, session: aiohttp.ClientSession, group: Payload) -> None:
        content = {**group, "env_id": self._env_id()}
        body, headers = await asyncio.to_thread(_encoded, content)
        async with session.post(f"{self._url}/scored_data", data=body, headers=headers) as reply:
            if reply.status >= 500 or reply.status in (408, 425, 429):
                raise ApiAway(f"HTTP {reply.status}")
            if reply.status >= 400:
                raise Refused(f"HTTP {reply.status}, {(await reply.text())[:300]}")
            await reply.json()  # a page of whatever stands in between is no receipt


def _encoded(content: Payload) -> tuple[bytes, dict[str, str]]:
    """The body of a request, compressed where that pays, and its headers."""
    body = _json(content).encode()
    headers = {"Content-Type": "application/json"}
    if len(body) >= COMPRESS_FROM:
        body = gzip.compress(body, compresslevel=1)
        headers["Content-Encoding"] = "gzip"
    return body, headers


def _json(content: Payload) -> str:
    """``json.dumps``, a rollout at a time: all at once holds the interpreter for 0.1 s."""
    dumps = functools.partial(json.dumps, allow_nan=False)

    def piecewise(value: Any) -> str:
        return f"[{', '.join(map(dumps, value))}]" if isinstance(value, list) else dumps(value)

    return f"{{{', '.join(f'{dumps(name)}: {piecewise(content[name])}' for name in content)}}}"
