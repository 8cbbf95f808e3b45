"""Complete the settings of the inference servers, and check them before there are clients."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit

from atroposlib.envs.server_handling.openai_server import OpenAIServer
from atroposlib.envs.server_handling.server_baseline import (
    APIServerConfig,
    AsyncSemWithAdaptiveWeight,
)
from atroposlib.envs.server_handling.server_harness import ServerHarness
from atroposlib.envs.server_handling.trl_vllm_server import TrlVllmServer

from rgenv.errors import BadUsage
from rgenv.gym.values import between
from rgenv.inference.engine import root_of
from rgenv.runtime.preflight import address_problem

log = logging.getLogger(__name__)

Servers = Any
"""A list of APIServerConfig, or one ServerBaseline; Atropos accepts both."""

NO_KEY = "x"
"""The API key that stands for none; the chat client refuses an empty one."""

NUMBERS = "timeout", "num_max_requests_at_once", "num_requests_for_eval", "rolling_buffer_length"

NO_TOKENS = (
    "server_type {} returns no token ids and log probabilities, which {} needs: "
    "use --openai.server_type vllm or sglang (docs/running.md)."
)


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
    of_environment = os.environ.get("OPENAI_API_KEY")
    return of_environment or given if (server.server_type, given) == ("openai", NO_KEY) else given


def require_settings(servers: Servers) -> None:
    """Check the settings of the servers, before there are clients; raise BadUsage."""
    if not isinstance(servers, list):
        return
    if not servers:
        raise BadUsage("There is no inference server: `openai` needs at least one entry.")
    types = sorted({server.server_type for server in servers})
    if len(types) > 1:
        raise BadUsage(
            f"The inference servers have server_type {' and '.join(types)}: give all of them the "
            "same, because Atropos treats all like the first."
        )
    for server in servers:
        _require_address(server)
        if not (server.api_key.isascii() and server.api_key.isprintable()):
            raise BadUsage(
                "The key holds a line break or a letter that no key has: set --openai.api_key or "
                "OPENAI_API_KEY right."
            )
        for name in NUMBERS:
            try:
                between(1)(getattr(server, name))
            except ValueError as error:
                raise BadUsage(f"--openai.{name} {error}.") from None


def _require_address(server: APIServerConfig) -> None:
    if server.base_url is not None:
        if problem := address_problem(server.base_url):
            raise BadUsage(f"--openai.base_url {problem}")
        parts = urlsplit(server.base_url)
        if "@" in parts.netloc or (parts.query and server.server_type != "openai"):
            raise BadUsage(
                "--openai.base_url holds a name, a password or parameters, which Atropos can't "
                "send: leave them out, and set --openai.api_key."
            )
    elif server.health_check and server.server_type != "openai":
        raise BadUsage(
            f"A server of type {server.server_type} needs an address: set --openai.base_url, such "
            "as http://localhost:9004/v1."
        )


def require_tokens(servers: Iterable[Any], tokenizer: Any, mode: str) -> None:
    """Check that a command gets the tokens that it needs, or raise BadUsage."""
    servers = list(servers)
    if any(isinstance(server, TrlVllmServer) for server in servers):
        raise BadUsage(NO_TOKENS.format("trl", mode))
    if mode in ("evaluate", "profile") and speaks_chat_only(servers):
        return
    if speaks_chat_only(servers):
        raise BadUsage(NO_TOKENS.format("openai", mode))
    if tokenizer is None:
        raise BadUsage(f"{mode} needs a tokenizer: set --env.tokenizer_name to a folder.")


def speaks_chat_only(servers: Iterable[Any]) -> bool:
    return any(isinstance(server, OpenAIServer) for server in servers)
