"""Complete the settings of the inference servers, check them at the start, and watch their health.

Not here: balancing requests over the servers, which Atropos' ServerManager does.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from typing import Any

from atroposlib.envs import base as atropos_base
from atroposlib.envs.server_handling.openai_server import OpenAIServer
from atroposlib.envs.server_handling.server_baseline import (
    APIServerConfig,
    AsyncSemWithAdaptiveWeight,
)
from atroposlib.envs.server_handling.server_harness import ServerHarness
from transformers import AutoTokenizer

from rgenv.errors import StartupError
from rgenv.runtime.backoff import Patience
from rgenv.runtime.preflight import require_answer, require_in_time

log = logging.getLogger(__name__)

Servers = Any
"""A list of APIServerConfig, or one ServerBaseline; Atropos accepts both."""

CHECK_SECONDS = 1.0
"""Seconds between two looks at the health of the servers."""

NO_TOKENS = (
    "server_type openai returns no token ids and log probabilities, which training needs: "
    'use --openai.server_type vllm or sglang (README, "With vLLM").'
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
        """Return a stand-in with the settings of the first of `servers`."""
        return cls(servers[0] if isinstance(servers, list) else servers)

    async def tokens_and_logprobs_completion(
        self, **request: Any
    ) -> tuple[list[int], list[list[int]], list[list[float]], list[str]]:
        """Return the response that `set_tokens_and_logprobs_response` set for this prompt.

        Raises:
            KeyError: there is none.
        """
        if request["prompt"] not in self.tokens_and_logprobs_map:
            raise KeyError(f"No response is set for the prompt {request['prompt']!r:.200}.")
        tokens, outputs, logprobs, reasons = await super().tokens_and_logprobs_completion(**request)
        return tokens, outputs, logprobs, reasons


def with_defaults(servers: Servers, tokenizer_name: str) -> Servers:
    """Return the settings with a tokenizer and a non-empty API key for each server.

    Health checks of chat servers are turned off, because each one, every second, requests (and pays
    for) a completion.
    """
    if not isinstance(servers, list):
        return servers
    key = os.environ.get("OPENAI_API_KEY") or "x"
    return [
        server.model_copy(
            update={
                "api_key": server.api_key or key,
                "health_check": server.health_check and server.server_type != "openai",
                "tokenizer_name": tokenizer_name
                if server.tokenizer_name == "none"
                else server.tokenizer_name,
            }
        )
        for server in servers
    ]


def require_tokens(servers: Iterable[Any], tokenizer: Any, mode: str) -> None:
    """Check that training gets token ids and log probabilities.

    Raises:
        StartupError: the servers return no tokens, or there is no tokenizer.
    """
    if mode == "serve" and speaks_chat_only(servers):
        raise StartupError(NO_TOKENS)
    if tokenizer is None:
        raise StartupError(f"{mode} needs a tokenizer: set --env.tokenizer_name to a folder.")


def speaks_chat_only(servers: Iterable[Any]) -> bool:
    """Return whether any of these clients has OpenAI's chat API only."""
    return any(isinstance(server, OpenAIServer) for server in servers)


@contextlib.contextmanager
def tokenizer_check(servers: Servers, tokenizer_name: str, timeout: float) -> Iterator[None]:
    """Check the tokenizers before the body of this context runs BaseEnv's constructor.

    Chat servers need no tokenizer: with them, a tokenizer that can't be loaded becomes None.

    Raises:
        StartupError: a tokenizer can't be loaded within `timeout` seconds.
    """
    chat_only = isinstance(servers, list) and all(s.server_type == "openai" for s in servers)
    if not chat_only:
        _require_tokenizers(servers, tokenizer_name, timeout)
    with _optional_tokenizer() if chat_only else contextlib.nullcontext():
        yield


def _require_tokenizers(servers: Servers, tokenizer_name: str, timeout: float) -> None:
    names = {server.tokenizer_name for server in servers} if isinstance(servers, list) else set()
    for name in sorted({tokenizer_name, *names}):
        require_in_time(
            lambda name=name: AutoTokenizer.from_pretrained(name),  # type: ignore[misc]
            timeout,
            f"The tokenizer {name!r} can't be loaded ({{why}}): set --env.tokenizer_name to a "
            "model of the hub or a folder with tokenizer.json.",
        )


@contextlib.contextmanager
def _optional_tokenizer() -> Iterator[None]:
    """Let BaseEnv's constructor set a tokenizer that can't be loaded to None.

    The constructor has no argument for that, so the class that it loads the tokenizer with is
    replaced within this context.
    """

    class IfPresent:
        @staticmethod
        def from_pretrained(name: str) -> Any:
            with contextlib.suppress(Exception):  # transformers raises many types
                return AutoTokenizer.from_pretrained(name, local_files_only=True)
            return None

    atropos_base.AutoTokenizer = IfPresent
    try:
        yield
    finally:
        atropos_base.AutoTokenizer = AutoTokenizer


async def require_servers(servers: Sequence[Any], timeout: float) -> None:
    """Wait until the inference servers answer.

    Raises:
        StartupError: a server does not answer within `timeout` seconds.
    """
    configs = [s.config for s in servers if isinstance(getattr(s, "config", None), APIServerConfig)]
    for config in configs:
        if config.server_type != "vllm" or not (config.base_url and config.health_check):
            continue
        base = config.base_url.replace("/v1", "")
        await require_answer(
            f"{base}/health",
            timeout,
            f'No inference server answers at {base}: start one (README, "With vLLM"), or set '
            "--openai.base_url.",
            accepts=lambda body: "<html" not in body.lower(),
        )


@contextlib.asynccontextmanager
async def watching_health(
    servers: Sequence[Any], patience: float, abort: Callable[[Exception], None]
) -> AsyncIterator[None]:
    """End the run with StartupError if no server is healthy for `patience` seconds.

    Without this, Atropos' requests would wait for a healthy server without a limit.

    Args:
        abort: ends the run with an error.
    """
    watching = asyncio.create_task(_watch(servers, patience, abort))
    try:
        yield
    finally:
        watching.cancel()


async def _watch(
    servers: Sequence[Any], patience: float, abort: Callable[[Exception], None]
) -> None:
    outage = Patience(patience)
    while not outage.exhausted:
        await asyncio.sleep(CHECK_SECONDS)
        if any(getattr(server, "server_healthy", True) for server in servers):
            if outage.failing_for:
                log.info("Inference is back after %.0f s.", outage.failing_for)
            outage.worked()
        elif outage.failed() == 1:
            log.warning("No inference server is healthy; waiting up to %g s.", patience)
    abort(
        StartupError(
            f"No inference server was healthy for {patience:g} s: check it, then start again."
        )
    )


def stop_health_checks(servers: Iterable[Any]) -> None:
    """Cancel the health checks that Atropos' clients run in the background."""
    for server in servers:
        if getattr(server, "check_task", None) is not None:
            server.check_task.cancel()
