"""Stand-ins that behave: an inference server whose completions a test writes itself."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from aiohttp import web
from aiohttp.test_utils import TestServer
from atroposlib.envs.base import APIServerConfig
from atroposlib.envs.server_handling.server_baseline import APIServer

Completion = tuple[str, str]
Reply = Callable[[str, int], Sequence[Completion]]


def fake_config(**changes: Any) -> list[APIServerConfig]:
    """One server that is nowhere and needs no health check."""
    values = {"api_key": "x", "base_url": None, "model_name": "fake", "health_check": False}
    return [APIServerConfig(**{**values, "server_type": "vllm", **changes})]


class FakeServer(APIServer):
    """Answers with what `reply(prompt, n)` returns: (text, finish reason) pairs.

    Set `reply` and `tokenizer` on a subclass (see `scripted`). Each text is tokenized as it is;
    `logprob` is what every token gets.
    """

    reply: Reply
    tokenizer: Any
    logprob = -0.5

    def __init__(self, config: APIServerConfig, reasoning_config: Any = None) -> None:
        super().__init__(config, reasoning_config=reasoning_config)
        self.requests: list[dict[str, Any]] = []

    async def check_server_status_task(self, chat_completion: bool = True) -> None:
        self.server_healthy = True

    async def _chat_completion_wrapper(self, **kwargs: Any) -> Any:
        raise NotImplementedError

    async def _completion_wrapper(self, **kwargs: Any) -> Any:
        raise NotImplementedError

    async def _tokens_and_logprobs_completion_wrapper(self, **kwargs: Any) -> Any:
        self.requests.append(kwargs)
        prompt_ids = kwargs.get("input_ids") or self.tokenizer.encode(kwargs["prompt"])
        prompt = self.tokenizer.decode(prompt_ids)
        pairs = type(self).reply(prompt, kwargs.get("n", 1))
        tokens = [self.tokenizer.encode(text) for text, _ in pairs]
        logprobs = [[self.logprob] * len(ids) for ids in tokens]
        return prompt_ids, tokens, logprobs, [reason for _, reason in pairs]


def scripted(reply: Reply, tokenizer: Any, **attributes: Any) -> type[FakeServer]:
    """A server class whose completions are what `reply` says."""
    return type(
        "Scripted",
        (FakeServer,),
        {"reply": staticmethod(reply), "tokenizer": tokenizer, **attributes},
    )


class RolloutApi:
    """A rollout API that does as it is told, and remembers the groups that it took.

    `plan` holds what the next posts get: a status, "page" (some HTML instead), "reset" (the
    connection breaks before), or "late reset" (after the group was taken); then all is well.
    """

    def __init__(self) -> None:
        self.plan: list[int | str] = []
        self.taken: list[dict[str, Any]] = []
        self.asked: list[str] = []
        self.has_trainer = True
        self.fails_to_register = 0
        self.hold: asyncio.Event | None = None
        self._server: TestServer | None = None

    async def __aenter__(self) -> RolloutApi:
        app = web.Application()
        app.router.add_post("/scored_data", self._scored_data)
        app.router.add_get("/info", self._info)
        app.router.add_post("/register-env", self._register_env)
        app.router.add_get("/latest_example", self._latest)
        self._server = TestServer(app)
        await self._server.start_server()
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        await self._server.close()

    @property
    def url(self) -> str:
        assert self._server is not None
        return str(self._server.make_url("")).rstrip("/")

    async def _scored_data(self, request: web.Request) -> web.Response:
        self.asked.append("scored_data")
        group = await request.json()
        if self.hold is not None:
            await self.hold.wait()
        order = self.plan.pop(0) if self.plan else 200
        if order in (200, "late reset"):
            self.taken.append(group)
        if order == "page":
            return web.Response(text="<html></html>", content_type="text/html")
        if isinstance(order, str):
            assert request.transport is not None
            request.transport.abort()
            return web.Response()
        return web.json_response({"status": "received"}, status=order)

    async def _register_env(self, request: web.Request) -> web.Response:
        self.asked.append("register-env")
        if not self.has_trainer:
            return web.json_response({"status": "wait for trainer to start"})
        if self.fails_to_register:
            self.fails_to_register -= 1
            return web.json_response({}, status=500)
        return web.json_response(
            {
                "status": "success",
                "env_id": 4,
                "wandb_name": "test_0",
                "checkpoint_dir": "",
                "starting_step": 0,
                "checkpoint_interval": 1,
                "num_steps": 9,
            }
        )

    async def _info(self, request: web.Request) -> web.Response:
        self.asked.append("info")
        return web.json_response({"batch_size": 16 if self.has_trainer else -1})

    async def _latest(self, request: web.Request) -> web.Response:
        self.asked.append("latest")
        return web.json_response(self.taken[-1] if self.taken else {"tokens": []})
