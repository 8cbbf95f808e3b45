"""A server with OpenAI's chat API that answers as a test scripts."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from aiohttp import web

from demo.http_server import Server, start_server

Script = Callable[[dict[str, Any]], "tuple[int, Any] | str"]
"""Takes the body of a request; returns a text, or a status and a JSON body."""


def says(text: str) -> Script:
    """Return a script that gives the same completion to every request."""
    return lambda body: text


def error(status: int, message: str, **more: Any) -> tuple[int, Any]:
    return status, {"error": {"message": message, "type": "invalid_request_error", **more}}


def completion(text: str | None, *, reason: str = "stop", **message: Any) -> dict[str, Any]:
    """Return a completion in OpenAI's format; `message` has further keys of its message."""
    return {
        "id": "c",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": [
            {
                "index": 0,
                "finish_reason": reason,
                "message": {"role": "assistant", "content": text, **message},
            }
        ],
        "usage": {"prompt_tokens": 5, "completion_tokens": 7, "total_tokens": 12},
    }


class ChatServer:
    """An async context manager.

    Attributes:
        script: what it answers; a test may replace it while it runs.
        bodies: the bodies of all requests, in order.
    """

    def __init__(self, script: Script, middlewares: Sequence[Any] = ()) -> None:
        self.script = script
        self._middlewares = middlewares
        self.bodies: list[dict[str, Any]] = []
        self._server: Server | None = None

    async def __aenter__(self) -> ChatServer:
        app = web.Application(middlewares=self._middlewares)
        app.router.add_post("/v1/chat/completions", self._complete)
        app.router.add_get("/v1/models", self._models)
        self._server = await start_server(app)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        await self._server.close()

    @property
    def url(self) -> str:
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.port}/v1"

    async def _models(self, request: web.Request) -> web.Response:
        return web.json_response({"data": [{"id": "scripted"}, {"id": "other"}]})

    async def _complete(self, request: web.Request) -> web.Response:
        body = json.loads(await request.read())
        self.bodies.append(body)
        found = self.script(body)
        if isinstance(found, str) and body.get("stream"):
            return _stream(found)
        status, answer = (200, completion(found)) if isinstance(found, str) else found
        return web.json_response(answer, status=status)


def _stream(text: str) -> web.Response:
    head = {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "scripted"}
    deltas = [({"role": "assistant", "content": text}, None), ({}, "stop")]
    events = [
        head | {"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}
        for delta, reason in deltas
    ]
    lines = [*(json.dumps(event) for event in events), "[DONE]"]
    body = "".join(f"data: {line}\n\n" for line in lines)
    return web.Response(text=body, content_type="text/event-stream")
