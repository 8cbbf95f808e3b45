"""Atropos' clients of vLLM and SGLang, and how the policy asks any client of Atropos.

::

    env.server_cls = engine_class(APIServer, server_configs)    # before Atropos makes its clients
    client = Client(env.server.servers[0])
    completions = await client.complete(Ask([31, 7], n=8, max_tokens=512), text)

Limits of requests and their timings are those of Atropos' APIServer.
"""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Callable, Sequence
from typing import Any

from atroposlib.envs.server_handling.server_baseline import APIServer, APIServerConfig
from atroposlib.envs.server_handling.sglang_server import SGLangServer
from atroposlib.envs.server_handling.vllm_server import VLLMServer

from rgenv.inference import engine
from rgenv.inference.dialects import OF_SGLANG, OF_VLLM, Ask, Completion
from rgenv.inference.engine import Engine
from rgenv.inference.request_errors import address
from rgenv.inference.tokenizers import begun_once

Tokens = tuple[list[int], list[list[int]], list[list[float]], list[str]]
"""What Atropos expects: prompt, completions, their log probabilities and finish reasons."""


class VllmEngine(VLLMServer):
    """Atropos' client of vLLM, of Atropos' own vLLM server, and of the proxy of verl's recipe."""

    initialized: bool

    def __init__(self, config: APIServerConfig, reasoning_config: Any = None) -> None:
        self.engine = Engine(config, (*OF_VLLM, *OF_SGLANG))
        super().__init__(config, reasoning_config=reasoning_config)

    @property
    def server_healthy(self) -> bool:
        """Whether requests are sent; Atropos sets it, too."""
        return self.engine.healthy

    @server_healthy.setter
    def server_healthy(self, value: bool) -> None:
        self.engine.healthy = value

    async def check_server_status_task(self, chat_completion: bool = True) -> None:
        """Look at the server's health page for ever; no completion is asked for."""
        await self.engine.watch()

    async def complete(self, asked: Ask, *, is_training: bool = True) -> list[Completion]:
        """Ask once, as soon as the server is healthy and below its limit of requests."""
        if not self.initialized and self.config.health_check and self.config.base_url is not None:
            self.check_task = asyncio.create_task(self.check_server_status_task())
        self.initialized = True
        while not self.engine.healthy:
            await asyncio.sleep(engine.CHECK_SECONDS)
        async with self.sem if is_training else self.eval_sem:
            began = time.time()
            completions = await self.engine.complete(asked)
            kind = "" if is_training else "eval_"
            getattr(self, f"{kind}request_timings").append(time.time() - began)
            getattr(self, f"{kind}attempts_list").append(1)
        return completions

    async def tokens_and_logprobs_completion(self, **request: Any) -> Tokens:
        """Ask as Atropos and subclasses do, with `input_ids` or `prompt`."""
        is_training = request.pop("split", "train") == "train"
        asked = _asked(request, self.tokenizer, self.config.model_name)
        completions = await self.complete(asked, is_training=is_training)
        return (
            list(asked.prompt),
            [one.tokens for one in completions],
            [one.logprobs for one in completions],
            [one.finish_reason for one in completions],
        )


class SGLangEngine(SGLangServer):
    """Atropos' client of SGLang."""

    def __init__(self, config: APIServerConfig, reasoning_config: Any = None) -> None:
        self.engine = Engine(config, (*OF_SGLANG, *OF_VLLM))
        super().__init__(config, reasoning_config=reasoning_config)

    server_healthy = VllmEngine.server_healthy
    check_server_status_task = VllmEngine.check_server_status_task
    complete = VllmEngine.complete
    tokens_and_logprobs_completion = VllmEngine.tokens_and_logprobs_completion


def _asked(request: dict[str, Any], tokenizer: Any, model: str) -> Ask:
    """Return what the keywords of Atropos' method ask for."""
    more = dict(request)
    prompt, ids = more.pop("prompt", None), more.pop("input_ids", None)
    known = {name: more.pop(name) for name in ("temperature", "top_p") if name in more}
    limits = [more.pop(name, None) for name in ("max_tokens", "max_new_tokens")]
    return Ask(
        prompt=begun_once(list(ids or tokenizer.encode(prompt)), tokenizer),
        n=more.pop("n", 1),
        max_tokens=next((limit for limit in limits if limit), 16),
        model=more.pop("model", None) or model,
        more=more,
        **known,
    )


class Client:
    """Asks a client of Atropos, whichever class a program or subclass has chosen.

    Attributes:
        under_way: requests that wait for an answer.
    """

    def __init__(self, server: Any) -> None:
        self._server = server
        self.under_way = 0

    @property
    def config(self) -> Any:
        """The settings of the server."""
        return getattr(self._server, "config", None)

    @property
    def where(self) -> str:
        """The address of the server."""
        return address(getattr(self.config, "base_url", None) or "")

    @property
    def healthy(self) -> bool:
        """Whether the server answered last."""
        return bool(getattr(self._server, "server_healthy", True))

    @property
    def limit(self) -> int:
        """Requests that it takes at once."""
        return int(getattr(self.config, "num_max_requests_at_once", 1))

    @property
    def context_length(self) -> int | None:
        """The most tokens that prompt and completion may have; None: unknown."""
        length = getattr(getattr(self._server, "engine", self._server), "context_length", None)
        return length if isinstance(length, int) else None

    async def complete(
        self, asked: Ask, text: str, *, is_training: bool = True
    ) -> list[Completion]:
        """Return the completions that the server finished.

        Args:
            text: the prompt, for a client that takes no token ids.

        Raises:
            RequestRefused, RequestFailed: see `Engine.complete`.
            Exception: whatever a client of another class raises.
        """
        if isinstance(self._server, VllmEngine | SGLangEngine):
            return await self._server.complete(asked, is_training=is_training)
        read, *parts = await self._server.tokens_and_logprobs_completion(
            prompt=text,
            input_ids=list(asked.prompt),
            n=asked.n,
            max_tokens=asked.max_tokens,
            temperature=asked.temperature,
            top_p=asked.top_p,
            split="train" if is_training else "eval",
        )
        return [
            Completion(ids, logprobs, _name(reason), list(read))
            for ids, logprobs, reason in zip(*parts, strict=True)
        ]


def _name(reason: Any) -> Any:
    """Return a finish reason, which is a word; SGLang's own format is a mapping."""
    return (reason.get("type") if isinstance(reason, dict) else reason) or "stop"


def clients_of(manager: Any) -> Callable[[], Sequence[Client]]:
    """Return a function that returns a `Client` of each server; programs may replace servers."""
    known: dict[int, tuple[Any, Client]] = {}

    def clients() -> Sequence[Client]:
        for server in manager.servers:
            if known.get(id(server), (None,))[0] is not server:
                known[id(server)] = server, Client(server)
        return [known[id(server)][1] for server in manager.servers]

    return clients


def engine_class(server_cls: Any, servers: Any) -> Any:
    """Return the class of the clients: that of the servers' type, or `server_cls` if it is one.

    Atropos' abstract APIServer stands for any type.
    """
    if not inspect.isabstract(server_cls):
        return server_cls
    first = (servers or [None])[0] if isinstance(servers, list) else servers
    classes: dict[str, type[APIServer]] = {"vllm": VllmEngine, "sglang": SGLangEngine}
    return classes.get(getattr(first, "server_type", ""), server_cls)
