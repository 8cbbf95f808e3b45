"""A proxy that injects the faults of networks and failing servers.

Put it between the environment and an inference server or a rollout API. Each request gets at most
one fault, drawn at the given rates from a seed::

    async with FaultProxy(target, seed=1) as proxy:
        proxy.rates = {"error": 0.1}
        proxy.url, proxy.injected
        await proxy.go_down()
        await proxy.come_back()
"""

import asyncio
import json
import random
from collections import Counter
from collections.abc import Callable, Mapping

import aiohttp
from aiohttp import web

from demo.http_server import Server, start_server

FORWARDED_HEADERS = {"content-type", "authorization"}
"""Not content-encoding: aiohttp decompresses what it reads."""

Watch = Callable[[str, bytes, int], None]
"""Called after each forwarded request with its path, its body and the status of the answer."""


class FaultProxy:
    """Forwards requests to `target` and injects faults. An async context manager.

    Args:
        only: the path that gets faults; all if empty.
        slow_seconds: the delay of a slow request.

    Attributes:
        rates: fault -> probability; none at first. An ``error`` is status 500, ``reset`` breaks the
            connection, ``late_reset`` after the server has answered, ``slow`` comes later, ``hang``
            never, and ``garbage`` is half of the answer.
        injected: fault -> how often it was injected.
    """

    def __init__(
        self,
        target: str,
        *,
        seed: int = 0,
        only: str = "",
        slow_seconds: float = 2.0,
        watch: Watch = lambda path, body, status: None,
    ) -> None:
        self.target = target
        self.rates: Mapping[str, float] = {}
        self.injected: Counter[str] = Counter()
        self.port = 0
        self._rng = random.Random(seed)
        self._only = only
        self._slow_seconds = slow_seconds
        self._watch = watch
        self._server: Server | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def __aenter__(self) -> "FaultProxy":
        self._session = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=None))
        await self.come_back()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.go_down()
        await self._session.close()

    async def go_down(self) -> None:
        """Break open connections and refuse new ones."""
        if self._server is not None:
            await self._server.close()
        self._server = None

    async def come_back(self) -> None:
        """Listen again, on the same port."""
        app = web.Application(client_max_size=256 * 2**20)
        app.router.add_route("*", "/{path:.*}", self._handle)
        self._server = await start_server(app, port=self.port, shutdown_timeout=0.1)
        self.port = self._server.port

    async def _handle(self, request: web.Request) -> web.Response:
        fault = ""
        if self._only in ("", request.path):
            names, rates = [*self.rates, ""], [*self.rates.values()]
            [fault] = self._rng.choices(names, [*rates, 1 - sum(rates)])
        self.injected[fault] += 1
        if fault == "error":
            return web.json_response({"error": "injected"}, status=500)
        if fault == "reset":
            return _break_connection(request)
        if fault in ("slow", "hang"):
            await asyncio.sleep(self._slow_seconds if fault == "slow" else 10**6)
        # The target may have taken what a client sent that has left since: the watcher hears of it.
        status, body = await asyncio.shield(self._passed_on(request, await request.read()))
        if fault == "late_reset":
            return _break_connection(request)
        if status == 200 and fault == "garbage":
            body = body[: len(body) // 2]
        return web.Response(status=status, body=body, content_type="application/json")

    async def _passed_on(self, request: web.Request, content: bytes) -> tuple[int, bytes]:
        headers = {k: v for k, v in request.headers.items() if k.lower() in FORWARDED_HEADERS}
        try:
            async with self._session.request(
                request.method, self.target + request.path_qs, data=content, headers=headers
            ) as reply:
                body = await reply.read()
        except aiohttp.ClientError as error:
            return 502, json.dumps({"error": str(error)}).encode()
        self._watch(request.path, content, reply.status)
        return reply.status, body


def _break_connection(request: web.Request) -> web.Response:
    if request.transport is not None:
        request.transport.abort()
    return web.Response()
