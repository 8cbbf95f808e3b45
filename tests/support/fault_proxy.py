"""A proxy before an inference server or a rollout API that injects faults."""

import asyncio
import json
import random
from collections.abc import Callable

import aiohttp
from aiohttp import web

from demo.http_server import start_server

FORWARDED_HEADERS = {"content-type", "authorization"}
"""Not content-encoding: aiohttp decompresses what it reads."""

Watch = Callable[[str, bytes, int], None]
"""Called after each forwarded request with its path, its body and the status of the answer."""


class FaultProxy:
    """Forwards requests to `target` and injects faults. An async context manager.

    Attributes:
        fails: whether the answer is status 500, and the server hears nothing of a request.
        slow: the share of answers that come later.
    """

    def __init__(self, target: str, watch: Watch = lambda path, body, status: None) -> None:
        self.target, self._watch = target, watch
        self.fails, self.slow = False, 0.0
        self._rng = random.Random(0)

    async def __aenter__(self) -> "FaultProxy":
        self._session = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=None))
        app = web.Application(client_max_size=256 * 2**20)
        app.router.add_route("*", "/{path:.*}", self._handle)
        self._server = await start_server(app, shutdown_timeout=0.1)
        self.url = f"http://127.0.0.1:{self._server.port}"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._server.close()
        await self._session.close()

    async def _handle(self, request: web.Request) -> web.Response:
        if self.fails:
            return web.json_response({"error": "injected"}, status=500)
        if self._rng.random() < self.slow:
            await asyncio.sleep(0.3)
        # The target may have taken what a client sent that has left since: the watcher hears of it.
        status, body = await asyncio.shield(self._passed_on(request, await request.read()))
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
