"""Health of the inference servers: at the start, and during a run."""

import asyncio
import contextlib
import functools
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from typing import Any

from rgenv.errors import StartupError
from rgenv.inference.engine import root_of
from rgenv.inference.generation import is_healthy
from rgenv.inference.http import quoted, require_answer
from rgenv.inference.request_errors import OPENAI, WEB_PAGE, is_web_page
from rgenv.runtime.backoff import Patience
from rgenv.text import nearest, one_line

log = logging.getLogger(__name__)

CHECK_SECONDS = 1.0
"""Seconds between two looks at the health of the servers."""


async def require_servers(servers: Sequence[Any], timeout: float) -> None:
    """Wait until all inference servers answer; StartupError names those that don't."""
    configs = [s.config for s in servers if hasattr(getattr(s, "config", None), "base_url")]
    await all_of(_require_server(config, timeout) for config in configs)


async def all_of(checks: Iterable[Awaitable[None]]) -> None:
    """Wait for all checks; raise one StartupError that says what each of them found."""
    errors = [one for one in await asyncio.gather(*checks, return_exceptions=True) if one]
    for error in errors:
        if not isinstance(error, StartupError):
            raise error
    if errors:
        raise StartupError(" ".join(dict.fromkeys(map(str, errors))))


async def _require_server(config: Any, timeout: float) -> None:
    if config.server_type == "openai":
        page = f"{(config.base_url or OPENAI).rstrip('/')}/models"
        remedy = "check the server and the network"
    elif config.base_url and config.health_check:
        page = f"{root_of(config.base_url)}/health"
        remedy = "start one (docs/running.md)"
    else:
        return
    address = page.rpartition("/")[0]
    await require_answer(
        page,
        timeout,
        f"No inference server is ready at {address}: {remedy}, or set --openai.base_url.",
        judge=functools.partial(_judge, config),
        headers={"Authorization": f"Bearer {config.api_key}"} if config.api_key else None,
    )


def _judge(config: Any, status: int, body: str) -> str | None:
    """Return what is wrong with an answer; the page itself may be missing."""
    where = f"The inference server at {config.base_url or OPENAI}"
    if status in (401, 403):
        is_chat = config.server_type == "openai"
        options = "--openai.api_key or OPENAI_API_KEY" if is_chat else "--openai.api_key"
        raise StartupError(f"{where} refuses the key (HTTP {status}): set {options}.")
    if status == 200 and is_web_page(body):
        raise StartupError(WEB_PAGE.format(where))
    if status == 200 and config.server_type == "openai":
        _warn_of_model(config, body)
    return quoted(status, body) if status >= 500 else None


def _warn_of_model(config: Any, body: str) -> None:
    """Warn if a chat server lists models without this one; some take names that they don't list."""
    try:
        names = {str(model["id"]) for model in json.loads(body)["data"]}
    except (ValueError, KeyError, TypeError):
        return
    if names and config.model_name not in names:
        listed = nearest(config.model_name, names) or sorted(names)[:3]
        log.warning(
            "The inference server at %s lists no model %s: if it refuses that name, set "
            "--openai.model_name to %s.",
            config.base_url or OPENAI,
            config.model_name,
            " or ".join(one_line(name, 80) for name in listed),
        )


Requests = Callable[[], tuple[int, int]]
"""Returns how many requests are under way, and how many were answered so far."""


@contextlib.asynccontextmanager
async def watching_health(
    servers: Sequence[Any],
    patience: float,
    abort: Callable[[Exception], None],
    requests: Requests = lambda: (0, 0),
) -> AsyncIterator[None]:
    """End the run with StartupError if no server is healthy, or none answers, for too long.

    Requests wait for a healthy server without a limit, and one that never answers is asked again.

    Args:
        patience: seconds; a server that is healthy has at least the limit of a single request.
    """
    watching = asyncio.create_task(_watch(servers, patience, abort, requests))
    try:
        yield
    finally:
        watching.cancel()


async def _watch(
    servers: Sequence[Any], patience: float, abort: Callable[[Exception], None], requests: Requests
) -> None:
    limits = [getattr(getattr(server, "config", None), "timeout", 0) for server in servers]
    outage, silence = Patience(patience), Patience(max(patience, *limits))
    answered_before = 0
    while not (outage.exhausted or silence.exhausted):
        await asyncio.sleep(CHECK_SECONDS)
        under_way, answered = requests()
        if under_way and answered == answered_before:
            silence.failed()
        else:
            silence.worked()
        answered_before = answered
        if not any(is_healthy(server) for server in servers):
            if not outage.failing_for:
                log.warning("No inference server is healthy; waiting up to %g s.", patience)
            outage.failed()
        elif outage.failing_for:
            log.info("Inference is back after %.0f s.", outage.failing_for)
            outage.worked()
    problem = f"No inference server was healthy for {patience:g} s"
    if silence.exhausted:
        problem = (
            f"No inference server has answered a request for {silence.failing_for:.0f} s "
            "(--env.outage_patience, or --openai.timeout if that is longer)"
        )
    abort(StartupError(f"{problem}: check it, then start again."))


def stop_health_checks(servers: Iterable[Any]) -> None:
    """Cancel the health checks that Atropos' clients run in the background."""
    for server in servers:
        if getattr(server, "check_task", None) is not None:
            server.check_task.cancel()
