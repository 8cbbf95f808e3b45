"""JSON over HTTP: the part that the stand-in policy server and other small servers share.

    server = await start_json_server({"/generate": generate})    # generate(body) -> answer
    await serve_until_ended(server.port, server.close)

A handler takes the JSON object of a POST request and returns (or awaits) the JSON answer. If a
request is not as it expects, the client gets status 400. `GET /health` answers with 200.
"""

import asyncio
import inspect
import json
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from rgenv.runtime.shutdown import Shutdown

MAX_BODY_BYTES = 64 * 2**20
JsonHandler = Callable[[dict[str, Any]], Any]


@dataclass(frozen=True)
class Server:
    """A running HTTP server."""

    port: int
    runner: web.AppRunner

    async def close(self) -> None:
        await self.runner.cleanup()


async def start_server(
    app: web.Application, host: str = "127.0.0.1", port: int = 0, *, shutdown_timeout: float = 1.0
) -> Server:
    """Listen on `port`; 0 picks a free one.

    The handler of a request is cancelled when its client leaves, as an inference engine stops.

    Args:
        shutdown_timeout: seconds that open requests get when the server closes.
    """
    runner = web.AppRunner(
        app, access_log=None, shutdown_timeout=shutdown_timeout, handler_cancellation=True
    )
    await runner.setup()
    await web.TCPSite(runner, host, port).start()
    return Server(port=runner.addresses[0][1], runner=runner)


async def start_json_server(
    handlers: Mapping[str, JsonHandler], host: str = "127.0.0.1", port: int = 0
) -> Server:
    """Serve `handlers`, which are given by path, and GET /health."""
    app = web.Application(client_max_size=MAX_BODY_BYTES)
    app.router.add_get("/health", _health)
    for path, handler in handlers.items():
        app.router.add_post(path, _web_handler(handler))
    return await start_server(app, host, port)


async def serve_until_ended(
    port: int,
    close: Callable[[], Awaitable[None]],
    work: Coroutine[Any, Any, None] | None = None,
) -> None:
    """Print the port as JSON, then serve until a signal arrives.

    Args:
        close: awaited at the end.
        work: runs beside the server; if it ends or fails, the server ends too.

    Raises:
        SystemExit: 128 plus the number of the signal.
    """
    print(json.dumps({"port": port}), flush=True)
    await Shutdown().guard(_forever() if work is None else work, close)


async def _forever() -> None:
    await asyncio.Event().wait()


async def _health(request: web.Request) -> web.Response:
    return web.json_response({"status": "ok"})


def _web_handler(
    handler: JsonHandler,
) -> Callable[[web.Request], Coroutine[Any, Any, web.Response]]:
    async def handle(request: web.Request) -> web.Response:
        try:
            answer = handler(json.loads(await request.read()))
            return web.json_response(await answer if inspect.isawaitable(answer) else answer)
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            return web.json_response({"error": f"{type(error).__name__}: {error}"}, status=400)

    return handle
