"""An inference server and a rollout API that do what a test scripts."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from aiohttp import web
from aiohttp.test_utils import TestServer
from atroposlib.envs.base import APIServerConfig
from atroposlib.envs.server_handling.server_baseline import APIServer

Completion = tuple[str | list[int], str]
"""A text or its tokens, and the finish reason."""

Reply = Callable[[str, int], Sequence[Completion] | Awaitable[Sequence[Completion]]]
"""``reply(prompt, n)`` returns the completions of one request, or an awaitable of them."""


def fake_config(**changes: Any) -> list[APIServerConfig]:
    """Return the settings of one server, without an address and without a health check."""
    values = {"api_key": "x", "base_url": None, "model_name": "fake", "health_check": False}
    return [APIServerConfig(**{**values, "server_type": "vllm", **changes})]


class FakeServer(APIServer):
    """Returns the completions of `reply(prompt, n)`, as tokens only; it is always healthy."""

    reply: Reply
    tokenizer: Any

    def __init__(self, config: APIServerConfig, reasoning_config: Any = None) -> None:
        super().__init__(config, reasoning_config=reasoning_config)
        self.requests: list[dict[str, Any]] = []
        self.release: asyncio.Event | None = None

    async def check_server_status_task(self, chat_completion: bool = True) -> None:
        self.server_healthy = True

    async def _no_text(self, **kwargs: Any) -> Any:
        raise NotImplementedError

    _chat_completion_wrapper = _completion_wrapper = _no_text

    async def _tokens_and_logprobs_completion_wrapper(self, **kwargs: Any) -> Any:
        self.requests.append(kwargs)
        if self.release is not None:
            await self.release.wait()
        prompt_ids = kwargs.get("input_ids") or self.tokenizer.encode(kwargs["prompt"])
        pairs = type(self).reply(self.tokenizer.decode(prompt_ids), kwargs.get("n", 1))
        if inspect.isawaitable(pairs):
            pairs = await pairs
        tokens = [self.tokenizer.encode(c) if isinstance(c, str) else c for c, _ in pairs]
        logprobs = [[-0.5] * len(ids) for ids in tokens]
        return prompt_ids, tokens, logprobs, [reason for _, reason in pairs]


def scripted(reply: Reply, tokenizer: Any) -> type[FakeServer]:
    return type("Scripted", (FakeServer,), {"reply": staticmethod(reply), "tokenizer": tokenizer})


class RolloutApi:
    """A rollout API that fails as scripted.

    Attributes:
        plan: the responses to the next groups: a status, "page" (HTML), "redirect", "reset" (the
            connection breaks before the group is taken), "late reset" (after it), or an answer,
            with which the group is taken if it is a receipt. Then all groups are taken.
        taken: the groups that it took; `asked` has the endpoints of all requests, in order.
        hold: if a test sets it, groups wait for this event before they are taken.
        registration, status: the responses to requests to register, and for the status.
    """

    def __init__(self, *middlewares: Any) -> None:
        self.middlewares = middlewares
        self.plan: list[int | str | dict[str, Any]] = []
        self.sizes = {"batch_size": 16, "max_token_len": 2**20}
        self.taken: list[dict[str, Any]] = []
        self.asked: list[str] = []
        self.has_trainer = True
        self.hold: asyncio.Event | None = None
        self.registration: dict[str, Any] = {
            "status": "success",
            "env_id": 4,
            "wandb_name": "test_0",
            "checkpoint_dir": "",
            "starting_step": 0,
            "checkpoint_interval": 1,
            "num_steps": 9,
        }
        self.status: dict[str, Any] = {"env_weight": 1.0, "current_step": 0, "queue_size": 0}

    async def __aenter__(self) -> RolloutApi:
        app = web.Application(middlewares=self.middlewares, client_max_size=2**26)
        app.router.add_post("/scored_data", self._scored_data)
        app.router.add_route("*", "/{name:.*}", self._plain)
        self._server = TestServer(app)
        await self._server.start_server()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._server.close()

    @property
    def url(self) -> str:
        return str(self._server.make_url("")).rstrip("/")

    async def _scored_data(self, request: web.Request) -> web.Response:
        self.asked.append("scored_data")
        group = await request.json()
        if self.hold is not None:
            await self.hold.wait()
        order = self.plan.pop(0) if self.plan else 200
        receipt = order if isinstance(order, dict) else {"status": "received"}
        if order in (200, "late reset") or (order == receipt and "buffer_size" in receipt):
            self.taken.append(group)
        if order == "redirect":
            elsewhere = {"Location": "http://127.0.0.1:9/elsewhere"}
            return web.Response(status=302, headers=elsewhere)
        if order == "page":
            return web.Response(text="<html></html>", content_type="text/html")
        if isinstance(order, str):
            assert request.transport is not None
            request.transport.abort()
            return web.Response()
        return web.json_response(receipt, status=order if isinstance(order, int) else 200)

    async def _plain(self, request: web.Request) -> web.Response:
        name, waits = request.match_info["name"], {"status": "wait for trainer to start"}
        if name:
            self.asked.append(name)
        answers: dict[str, Any] = {
            "": {"message": "AtroposLib API"},
            "register-env": self.registration if self.has_trainer else waits,
            "status-env": self.status,
            "disconnect-env": {"status": "success"},
            "info": self.sizes if self.has_trainer else dict.fromkeys(self.sizes, -1),
            "wandb_info": {"group": None, "project": "p" if self.has_trainer else None},
        }
        return web.json_response(answers[name])
