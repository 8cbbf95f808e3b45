"""Complete the settings of the inference servers, check them at the start, and watch their health.

Not here: balancing requests over the servers, which Atropos' ServerManager does.
"""

from __future__ import annotations

import asyncio
import contextlib
import difflib
import logging
import os
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from typing import Any
from urllib.parse import urlsplit

from atroposlib.envs.server_handling.openai_server import OpenAIServer
from atroposlib.envs.server_handling.server_baseline import (
    APIServerConfig,
    AsyncSemWithAdaptiveWeight,
)
from atroposlib.envs.server_handling.server_harness import ServerHarness
from atroposlib.envs.server_handling.trl_vllm_server import TrlVllmServer

from rgenv.errors import BadUsage, StartupError
from rgenv.inference.engine import NO_PAGE, models_in, root_of
from rgenv.inference.polling import Judge, quoted, require_answer
from rgenv.runtime.backoff import Patience
from rgenv.runtime.preflight import address_problem
from rgenv.text import one_line

log = logging.getLogger(__name__)

Servers = Any
"""A list of APIServerConfig, or one ServerBaseline; Atropos accepts both."""

NO_KEY = "x"
"""The API key that stands for none; the chat client refuses an empty one."""

CHECK_SECONDS = 1.0
"""Seconds between two looks at the health of the servers."""

MOST_LISTED = 1000
"""Models of a list that are looked at for a similar name."""

NO_TOKENS = (
    "server_type {} returns no token ids and log probabilities, which {} needs: "
    "use --openai.server_type vllm or sglang (docs/engines.md)."
)
OPENAI = "https://api.openai.com/v1"
"""Where chat requests go if there is no address."""


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
    """Check the settings of the servers, before there are clients.

    Raises:
        BadUsage: one is impossible; the message names it.
    """
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
        for name in ("timeout", "num_max_requests_at_once", "num_requests_for_eval"):
            if getattr(server, name) < 1:
                raise BadUsage(f"--openai.{name} must be at least 1, not {getattr(server, name)}.")


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
    """Check that a command gets the tokens that it needs.

    Raises:
        BadUsage: the servers return no tokens, or there is no tokenizer.
    """
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
    """Return whether any of these clients has OpenAI's chat API only."""
    return any(isinstance(server, OpenAIServer) for server in servers)


async def require_servers(servers: Sequence[Any], timeout: float) -> None:
    """Wait until all inference servers answer.

    Raises:
        StartupError: one does not answer within `timeout` seconds, or refuses the key.
    """
    configs = [s.config for s in servers if isinstance(getattr(s, "config", None), APIServerConfig)]
    answers = await asyncio.gather(
        *(_require_server(config, timeout) for config in configs), return_exceptions=True
    )
    for error in answers:
        if error is not None:
            raise error


async def _require_server(config: APIServerConfig, timeout: float) -> None:
    if config.server_type == "openai":
        page = f"{(config.base_url or OPENAI).rstrip('/')}/models"
        judge = _judge_models(config)
        remedy = "check the network"
    elif config.base_url and config.health_check:
        page = f"{root_of(config.base_url)}/health"
        judge = _judge_health(config)
        remedy = "start one (docs/engines.md)"
    else:
        return
    address = page.rpartition("/")[0]
    await require_answer(
        page,
        timeout,
        f"No inference server answers at {address}: {remedy}, or set --openai.base_url.",
        judge=judge,
        headers={"Authorization": f"Bearer {config.api_key}"} if config.api_key else None,
    )


def _judge_health(config: APIServerConfig) -> Judge:
    """Return a judge of the health page of a server, which not every server has."""

    def judge(status: int, body: str) -> str | None:
        _refuse_key(config, status)
        is_well = (status < 400 or status in NO_PAGE) and "<html" not in body.lower()
        return None if is_well else quoted(status, body)

    return judge


def _judge_models(config: APIServerConfig) -> Judge:
    """Return a judge of the list of a chat server's models, which not every server has."""

    def judge(status: int, body: str) -> str | None:
        _refuse_key(config, status)
        if status >= 500:
            return quoted(status, body)
        names = [model["id"] for model in models_in(body)] if status < 400 else []
        if names and config.model_name not in names:
            short = [one_line(name, 80) for name in names[:MOST_LISTED]]
            near = difflib.get_close_matches(config.model_name, short, n=3, cutoff=0.0)
            log.warning("The server does not list %s, but %s.", config.model_name, near)
        return None

    return judge


def _refuse_key(config: APIServerConfig, status: int) -> None:
    is_chat = config.server_type == "openai"
    if status in (401, 403):
        raise StartupError(
            f"The inference server at {config.base_url or OPENAI} refuses the key (HTTP {status}): "
            + ("set --openai.api_key or OPENAI_API_KEY." if is_chat else "set --openai.api_key.")
        )


@contextlib.asynccontextmanager
async def watching_health(
    servers: Sequence[Any],
    patience: float,
    abort: Callable[[Exception], None],
    unanswered_for: Callable[[], float] = lambda: 0.0,
) -> AsyncIterator[None]:
    """End the run with StartupError if no server is healthy, or none answers, for too long.

    Without this, Atropos' requests would wait for a healthy server without a limit, and a server
    that takes requests and never answers would be asked again for ever.

    Args:
        patience: seconds; a server that is healthy has at least the limit of a single request.
        abort: ends the run with an error.
        unanswered_for: returns the seconds for which requests have been under way without any
            answer.
    """
    watching = asyncio.create_task(_watch(servers, patience, abort, unanswered_for))
    try:
        yield
    finally:
        watching.cancel()


async def _watch(
    servers: Sequence[Any],
    patience: float,
    abort: Callable[[Exception], None],
    unanswered_for: Callable[[], float],
) -> None:
    outage = Patience(patience)
    limits = [getattr(getattr(server, "config", None), "timeout", 0) for server in servers]
    longest = max(patience, *limits, 0)
    while not outage.exhausted:
        await asyncio.sleep(CHECK_SECONDS)
        if unanswered_for() > longest:
            abort(
                StartupError(
                    f"No inference server has answered a request for {unanswered_for():.0f} s "
                    "(--env.outage_patience, or --openai.timeout if that is longer): check it, "
                    "then start again."
                )
            )
            return
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
