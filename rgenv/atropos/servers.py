"""Inference servers and tokenizers, before and while they are used.

Atropos' ServerManager balances requests over the servers; here is what surrounds it: settings that
are filled in, checks at the start, and an eye on servers that stay away.
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
"""What Atropos takes: a list of APIServerConfig, or one ServerBaseline."""

CHECK_SECONDS = 1.0

NO_TOKENS = (
    "server_type openai gives texts but no token ids and log probabilities, so nothing can be "
    'trained on it: use --openai.server_type vllm or sglang (README, "With vLLM").'
)


class ScriptedServer(ServerHarness):
    """Atropos' stand-in server, with the attributes that its server manager reads."""

    def __init__(self, config: Any) -> None:
        super().__init__()
        self.config = config
        self.server_healthy = True
        self.sem = self.eval_sem = AsyncSemWithAdaptiveWeight(1)

    @classmethod
    def of(cls, servers: Servers) -> ScriptedServer:
        """The stand-in for some servers, with the settings of the first."""
        return cls(servers[0] if isinstance(servers, list) else servers)

    async def tokens_and_logprobs_completion(
        self, **request: Any
    ) -> tuple[list[int], list[list[int]], list[list[float]], list[str]]:
        """The response that was set for this prompt with `set_tokens_and_logprobs_response`.

        Raises:
            KeyError: no response is set for it.
        """
        if request["prompt"] not in self.tokens_and_logprobs_map:
            raise KeyError(f"No response is set for the prompt {request['prompt']!r:.200}.")
        tokens, outputs, logprobs, reasons = await super().tokens_and_logprobs_completion(**request)
        return tokens, outputs, logprobs, reasons


def completed(servers: Servers, tokenizer_name: str) -> Servers:
    """Fill in what a server's settings leave out: the environment's tokenizer, a non-empty key.

    The health check of a chat server is turned off: it buys a completion every second.
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
    """Refuse servers and tokenizers that can't give what training needs.

    Raises:
        StartupError: the servers give no tokens, or there is no tokenizer.
    """
    if mode == "serve" and speaks_chat_only(servers):
        raise StartupError(NO_TOKENS)
    if tokenizer is None:
        raise StartupError(f"{mode} needs a tokenizer: set --env.tokenizer_name to a folder.")


def speaks_chat_only(servers: Iterable[Any]) -> bool:
    """Whether any of these running clients speaks OpenAI's chat format alone."""
    return any(isinstance(server, OpenAIServer) for server in servers)


@contextlib.contextmanager
def tokenizer_check(servers: Servers, tokenizer_name: str, timeout: float) -> Iterator[None]:
    """Make sure that BaseEnv's constructor, run inside, can load its tokenizer.

    Chat servers need no tokenizer, so with them a missing one becomes None.

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
    """Let BaseEnv be constructed without a tokenizer, as chat servers need none.

    BaseEnv's constructor loads one in any case and takes no argument that would prevent it, so the
    name it looks up is replaced meanwhile.
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
        StartupError: one does not within `timeout` seconds.
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
            is_well=lambda body: "<html" not in body.lower(),
        )


@contextlib.asynccontextmanager
async def watched(
    servers: Sequence[Any], patience: float, call_off: Callable[[Exception], None]
) -> AsyncIterator[None]:
    """Call the run off when no server has been healthy for `patience` seconds.

    Atropos' requests wait for a healthy server without a limit.
    """
    watching = asyncio.create_task(_watch(servers, patience, call_off))
    try:
        yield
    finally:
        watching.cancel()


async def _watch(
    servers: Sequence[Any], patience: float, call_off: Callable[[Exception], None]
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
    call_off(
        StartupError(
            f"No inference server was healthy for {patience:g} s: look at it, and start again."
        )
    )


def stop_health_checks(servers: Iterable[Any]) -> None:
    """Cancel the health checks that Atropos' clients run in the background."""
    for server in servers:
        if getattr(server, "check_task", None) is not None:
            server.check_task.cancel()
