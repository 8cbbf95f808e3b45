"""Atropos' clients of vLLM and SGLang, with our `Engine` inside.

Limits of requests and their timings are those of Atropos' APIServer.
"""

import asyncio
import inspect
import time
from typing import Any

from atroposlib.envs.server_handling.server_baseline import APIServer, APIServerConfig
from atroposlib.envs.server_handling.sglang_server import SGLangServer
from atroposlib.envs.server_handling.vllm_server import VLLMServer

from rgenv.inference import engine
from rgenv.inference.dialects import OF_SGLANG, OF_VLLM, Ask, Completion
from rgenv.inference.engine import Engine
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
            began = time.monotonic()
            completions = await self.engine.complete(asked)
            kind = "" if is_training else "eval_"
            getattr(self, f"{kind}request_timings").append(time.monotonic() - began)
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
    def __init__(self, config: APIServerConfig, reasoning_config: Any = None) -> None:
        self.engine = Engine(config, (*OF_SGLANG, *OF_VLLM))
        super().__init__(config, reasoning_config=reasoning_config)

    server_healthy = VllmEngine.server_healthy
    check_server_status_task = VllmEngine.check_server_status_task
    complete = VllmEngine.complete
    tokens_and_logprobs_completion = VllmEngine.tokens_and_logprobs_completion


def _asked(request: dict[str, Any], tokenizer: Any, model: str) -> Ask:
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


def engine_class(server_cls: Any, servers: Any) -> Any:
    """Return the class of the clients: that of the servers' type, or `server_cls` if it is one.

    Atropos' abstract APIServer stands for any type.
    """
    if not inspect.isabstract(server_cls):
        return server_cls
    first = (servers or [None])[0] if isinstance(servers, list) else servers
    classes: dict[str, type[APIServer]] = {"vllm": VllmEngine, "sglang": SGLangEngine}
    return classes.get(getattr(first, "server_type", ""), server_cls)
