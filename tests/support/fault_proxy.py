"""A proxy that injects the faults of networks and failing servers.

Put it between the environment and an inference server or a rollout API. Each request gets at most
one of `FAULTS`, drawn at the given rates from a seed::

    async with FaultProxy(target, rates={"error": 0.1}, seed=1) as proxy:
        proxy.url, proxy.rates, proxy.injected
        await proxy.go_down()
        await proxy.come_back()
"""

import asyncio
import json
import random
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import aiohttp
from aiohttp import web

from demo.http_server import Server, start_server

FAULTS = {
    "error": "status 500; the server does not get the request",
    "reset": "a broken connection; the server does not get the request",
    "late_reset": "a broken connection after the server has answered",
    "slow": "the request is forwarded after some seconds",
    "hang": "no answer, ever",
    "garbage": "half of the answer's JSON",
    "html": "status 200 and an HTML page",
    "fewer": "inference: one completion fewer than requested",
    "nan": "inference: a log probability that is not a number",
    "empty": "inference: a completion without tokens",
}
MAX_BODY_BYTES = 256 * 2**20
HANG_SECONDS = 10**6
FORWARDED_HEADERS = {"content-type", "authorization"}
"""Not content-encoding: aiohttp decompresses what it reads."""

Watch = Callable[[str, bytes, int], None]
"""Called after each forwarded request with its path, its body and the status of the answer."""


class FaultProxy:
    """Forwards requests to `target` and injects faults. An async context manager.

    Args:
        rates: fault -> probability. The attribute may be changed at any time.
        only: the paths that get faults; all if empty.
        slow_seconds: the delay of a slow request.

    Attributes:
        injected: fault -> how often it was injected.

    Raises:
        ValueError: a name in `rates` is not in `FAULTS`.
    """

    def __init__(
        self,
        target: str,
        rates: Mapping[str, float] | None = None,
        *,
        seed: int = 0,
        only: tuple[str, ...] = (),
        slow_seconds: float = 2.0,
        watch: Watch | None = None,
    ) -> None:
        if unknown := set(rates or {}) - set(FAULTS):
            raise ValueError(f"no fault {min(unknown)!r}: choose among {', '.join(FAULTS)}")
        self.target = target
        self.rates = dict(rates or {})
        self.injected: Counter[str] = Counter()
        self.port = 0
        self._rng = random.Random(seed)
        self._only = only
        self._slow_seconds = slow_seconds
        self._watch = watch
        self._server: Server | None = None
        self._session: aiohttp.ClientSession | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def __aenter__(self) -> "FaultProxy":
        self._session = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=None))
        await self.come_back()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self.go_down()
        if self._session is not None:
            await self._session.close()

    async def go_down(self) -> None:
        """Break open connections and refuse new ones."""
        if self._server is not None:
            await self._server.close()
        self._server = None

    async def come_back(self) -> None:
        """Listen again, on the same port."""
        app = web.Application(client_max_size=MAX_BODY_BYTES)
        app.router.add_route("*", "/{path:.*}", self._handle)
        self._server = await start_server(app, port=self.port, shutdown_timeout=0.1)
        self.port = self._server.port

    def _draw(self, path: str) -> str | None:
        if self._only and path not in self._only:
            return None
        point = self._rng.random()
        for fault, rate in self.rates.items():
            point -= rate
            if point < 0:
                return fault
        return None

    async def _handle(self, request: web.Request) -> web.Response:
        fault = self._draw(request.path)
        if fault is not None:
            self.injected[fault] += 1
        if fault == "error":
            return web.json_response({"error": "injected"}, status=500)
        if fault == "html":
            return web.Response(text="<html>another server</html>", content_type="text/html")
        if fault == "reset":
            return _break_connection(request)
        if fault in ("slow", "hang"):
            await asyncio.sleep(self._slow_seconds if fault == "slow" else HANG_SECONDS)
        status, body = await self._forward(request)
        if fault == "late_reset":
            return _break_connection(request)
        if status == 200 and fault in CORRUPTIONS:
            body = CORRUPTIONS[fault](body)
        return web.Response(status=status, body=body, content_type="application/json")

    async def _forward(self, request: web.Request) -> tuple[int, bytes]:
        content = await request.read()
        if self._watch is None:
            return await self._passed_on(request, content)
        # The target may have taken what a client sent that has left since: the watcher hears of it.
        return await asyncio.shield(self._passed_on(request, content))

    async def _passed_on(self, request: web.Request, content: bytes) -> tuple[int, bytes]:
        assert self._session is not None
        headers = {k: v for k, v in request.headers.items() if k.lower() in FORWARDED_HEADERS}
        try:
            async with self._session.request(
                request.method, self.target + request.path_qs, data=content, headers=headers
            ) as reply:
                body = await reply.read()
        except aiohttp.ClientError as error:
            return 502, json.dumps({"error": str(error)}).encode()
        if self._watch is not None:
            self._watch(request.path, content, reply.status)
        return reply.status, body


def _break_connection(request: web.Request) -> web.Response:
    if request.transport is not None:
        request.transport.abort()
    return web.Response()


def _half(body: bytes) -> bytes:
    return body[: len(body) // 2]


def _edit_json(change: Callable[[dict[str, Any]], None]) -> Callable[[bytes], bytes]:
    """Apply `change` to answers of /generate and leave other answers as they are."""

    def edit(body: bytes) -> bytes:
        answer = json.loads(body)
        if isinstance(answer, dict) and answer.get("logprobs"):
            change(answer)
        return json.dumps(answer).encode()

    return edit


def _drop_last(answer: dict[str, Any]) -> None:
    del answer["logprobs"][-1], answer["finish_reasons"][-1]


def _put_nan(answer: dict[str, Any]) -> None:
    [token] = answer["logprobs"][0][0][0]
    answer["logprobs"][0][0][0] = {token: float("nan")}


def _empty_first(answer: dict[str, Any]) -> None:
    answer["logprobs"][0] = []


CORRUPTIONS: dict[str, Callable[[bytes], bytes]] = {
    "garbage": _half,
    "fewer": _edit_json(_drop_last),
    "nan": _edit_json(_put_nan),
    "empty": _edit_json(_empty_first),
}
