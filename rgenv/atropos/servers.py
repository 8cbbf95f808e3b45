"""Complete the settings of the inference servers; a stand-in for tests."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from atroposlib.envs.server_handling.openai_server import OpenAIServer
from atroposlib.envs.server_handling.server_baseline import (
    APIServerConfig,
    AsyncSemWithAdaptiveWeight,
)
from atroposlib.envs.server_handling.server_harness import ServerHarness

from rgenv.inference.engine import root_of

Servers = Any
"""A list of APIServerConfig, or one ServerBaseline; Atropos accepts both."""

NO_KEY = "x"
"""The API key that stands for none; the chat client refuses an empty one."""


class ScriptedServer(ServerHarness):
    """Atropos' stand-in server for tests, with the attributes that its server manager reads."""

    def __init__(self, config: Any) -> None:
        super().__init__()
        self.config = config
        self.server_healthy = True
        self.sem = self.eval_sem = AsyncSemWithAdaptiveWeight(1)

    @classmethod
    def of(cls, servers: Servers) -> ScriptedServer:
        return cls(servers[0] if isinstance(servers, list) else servers)

    async def tokens_and_logprobs_completion(
        self, **request: Any
    ) -> tuple[list[int], list[list[int]], list[list[float]], list[str]]:
        """Return the response that was set for this prompt; raise KeyError if there is none."""
        if request["prompt"] not in self.tokens_and_logprobs_map:
            raise KeyError(f"No response is set for the prompt {request['prompt']!r:.200}.")
        tokens, outputs, logprobs, reasons = await super().tokens_and_logprobs_completion(**request)
        return tokens, outputs, logprobs, reasons


def with_defaults(servers: Servers, tokenizer_name: str) -> Servers:
    """Return the settings with a tokenizer, a non-empty API key, and an address with /v1 or none.

    The key in OPENAI_API_KEY goes to chat servers alone: others, which are reached without
    encryption as a rule, need none.

    Health checks of chat servers are turned off, because each one, every second, requests (and pays
    for) a completion.
    """
    if not isinstance(servers, list):
        return servers
    return [
        server.model_copy(
            update={
                "api_key": _api_key(server),
                "base_url": _base_url(server),
                "health_check": server.health_check and server.server_type != "openai",
                "tokenizer_name": tokenizer_name
                if server.tokenizer_name == "none"
                else server.tokenizer_name,
            }
        )
        for server in servers
    ]


def _base_url(server: APIServerConfig) -> str | None:
    """Return the address; that of an engine ends with /v1, where its OpenAI API is."""
    if not server.base_url or server.server_type not in ("vllm", "sglang"):
        return server.base_url or None
    return f"{root_of(server.base_url)}/v1"


def _api_key(server: APIServerConfig) -> str:
    given: str = server.api_key or NO_KEY
    of_environment = os.environ.get("OPENAI_API_KEY", "").strip()
    return of_environment or given if (server.server_type, given) == ("openai", NO_KEY) else given


def speaks_chat_only(servers: Iterable[Any]) -> bool:
    return any(isinstance(server, OpenAIServer) for server in servers)
