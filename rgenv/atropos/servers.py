"""Inference servers: their settings completed, their clients, and a stand-in for tests."""

from __future__ import annotations

import contextlib
import inspect
import os
from collections.abc import Iterable, Iterator
from types import SimpleNamespace
from typing import Any
from unittest import mock

from atroposlib.envs import base
from atroposlib.envs.server_handling import sglang_server, trl_vllm_server, vllm_server
from atroposlib.envs.server_handling.openai_server import OpenAIServer
from atroposlib.envs.server_handling.server_baseline import (
    APIServerConfig,
    AsyncSemWithAdaptiveWeight,
)
from atroposlib.envs.server_handling.server_harness import ServerHarness

from rgenv.inference.engine import OF_SGLANG, OF_VLLM, Engine, root_of
from rgenv.inference.tokenizers import at_need

Servers = Any
"""A list of APIServerConfig, or one ServerBaseline; Atropos accepts both."""

OPENAI = "https://api.openai.com/v1"
"""Where chat requests go if no address is set."""

NO_KEY = "x"
"""The API key that stands for none; the chat client refuses an empty one."""


class VllmEngine(Engine, vllm_server.VLLMServer):
    """Atropos' client of vLLM, of Atropos' own vLLM server, and of the proxy of verl's recipe.

    Limits of requests and their timings are those of Atropos; the requests are ours.
    """

    dialects = (*OF_VLLM, *OF_SGLANG)


class SGLangEngine(Engine, sglang_server.SGLangServer):
    dialects = (*OF_SGLANG, *OF_VLLM)


def engine_class(server_cls: Any, servers: Servers) -> Any:
    """Return `server_cls` if it makes clients, else the class for the servers' type.

    Atropos' abstract APIServer stands for any type.
    """
    if not inspect.isabstract(server_cls):
        return server_cls
    first = (servers or [None])[0] if isinstance(servers, list) else servers
    classes = {"vllm": VllmEngine, "sglang": SGLangEngine}
    return classes.get(getattr(first, "server_type", ""), server_cls)


def speaks_chat_only(clients: Iterable[Any]) -> bool:
    return any(isinstance(client, OpenAIServer) for client in clients)


class ScriptedServer(ServerHarness):
    """Atropos' stand-in server for tests, with the attributes that its server manager reads."""

    def __init__(self, config: Any) -> None:
        super().__init__()
        self.config = config
        self.server_healthy = True
        self.sem = self.eval_sem = AsyncSemWithAdaptiveWeight(1)

    async def tokens_and_logprobs_completion(
        self, **request: Any
    ) -> tuple[list[int], list[list[int]], list[list[float]], list[str]]:
        """Return the response that was set for this prompt; raise KeyError if there is none."""
        if request["prompt"] not in self.tokens_and_logprobs_map:
            raise KeyError(f"No response is set for the prompt {request['prompt']!r:.200}.")
        tokens, outputs, logprobs, reasons = await super().tokens_and_logprobs_completion(**request)
        return tokens, outputs, logprobs, reasons


def with_defaults(servers: Servers, tokenizer_name: str) -> Servers:
    """Return the settings with a tokenizer, an API key, and an address, which has /v1 for engines.

    Health checks of chat servers are turned off, because each one, every second, requests (and pays
    for) a completion.
    """
    if not isinstance(servers, list):
        return servers
    return [server.model_copy(update=_completed(server, tokenizer_name)) for server in servers]


def _completed(server: APIServerConfig, tokenizer_name: str) -> dict[str, Any]:
    is_chat, key, url = server.server_type == "openai", server.api_key or NO_KEY, server.base_url
    if is_chat and key == NO_KEY:  # other servers, which rarely use encryption, need no key
        key = os.environ.get("OPENAI_API_KEY", "").strip() or NO_KEY
    if url and server.server_type in ("vllm", "sglang"):
        url = f"{root_of(url)}/v1"  # where the OpenAI API of an engine is
    own = server.tokenizer_name
    return {
        "api_key": key,
        "base_url": url or (os.environ.get("OPENAI_BASE_URL") or OPENAI if is_chat else None),
        "health_check": server.health_check and not is_chat,
        "tokenizer_name": tokenizer_name if own == "none" else own,
    }


@contextlib.contextmanager
def tokenizers_at_need(timeout: float) -> Iterator[None]:
    """Let constructors of Atropos get a tokenizer that is loaded at its first use.

    They load it themselves, with `AutoTokenizer`, and have no argument for another one. Making
    problems and scoring answers need none, so they would wait for a download in vain.
    """
    at_first_use = SimpleNamespace(from_pretrained=lambda name: at_need(name, timeout))
    with contextlib.ExitStack() as stack:
        for module in (base, vllm_server, sglang_server, trl_vllm_server):
            stack.enter_context(mock.patch.object(module, "AutoTokenizer", at_first_use))
        yield
