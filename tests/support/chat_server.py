"""A server with OpenAI's chat API that answers as a test scripts."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from aiohttp import web

from tests.support.engines import Engine

Script = Callable[[dict[str, Any]], "tuple[int, Any] | str"]
"""Takes the body of a request; returns a text, or a status and a JSON body."""


def says(text: str) -> Script:
    """Return a script that gives the same completion to every request."""
    return lambda body: text


def completion(text: str | None, *, reason: str = "stop", **message: Any) -> dict[str, Any]:
    """Return a completion in OpenAI's format; `message` has further keys of its message."""
    choice: dict[str, Any] = {"index": 0, "finish_reason": reason}
    choice["message"] = {"role": "assistant", "content": text, **message}
    usage = {"prompt_tokens": 5, "completion_tokens": 7, "total_tokens": 12}
    about = {"id": "c", "object": "chat.completion", "created": 0, "model": "scripted"}
    return {**about, "choices": [choice], "usage": usage}


class ChatServer(Engine):
    """An engine that answers chats by its `script`, which a test may replace while it runs."""

    def __init__(self, script: Script, middlewares: Sequence[Any] = ()) -> None:
        super().__init__("chat", middlewares=middlewares)
        self.script = script

    @property
    def url(self) -> str:
        return f"{super().url}/v1"

    async def _complete(self, request: web.Request) -> web.Response:
        if "messages" not in await request.json():
            return web.json_response({"error": "no messages"}, status=400)
        return await super()._complete(request)

    async def _answer(self, request: web.Request, body: dict[str, Any]) -> web.Response:
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
