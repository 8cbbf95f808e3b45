"""Health of the inference servers: at the start, and during a run."""

import asyncio
import contextlib
import functools
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from typing import Any

from rgenv.errors import StartupError
from rgenv.inference.engine import NO_PAGE, root_of
from rgenv.inference.http import quoted, require_answer
from rgenv.inference.request_errors import WEB_PAGE, is_web_page
from rgenv.runtime.backoff import Patience
from rgenv.text import nearest, one_line

log = logging.getLogger(__name__)

CHECK_SECONDS = 1.0
"""Seconds between two looks at the health of the servers."""

OPENAI = "https://api.openai.com/v1"
"""Where chat requests go if there is no address."""


async def require_servers(servers: Sequence[Any], timeout: float) -> None:
    """Wait until all inference servers answer; StartupError names those that don't."""
    configs = [s.config for s in servers if hasattr(getattr(s, "config", None), "base_url")]
    await all_of(_require_server(config, timeout) for config in configs)


async def all_of(checks: Iterable[Awaitable[None]]) -> None:
    """Wait for all checks; raise one StartupError that says what each of them found."""
    answers = await asyncio.gather(*checks, return_exceptions=True)
    errors = [error for error in answers if error is not None]
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
    """Return what is wrong with an answer; a chat server needs no list of models."""
    is_chat = config.server_type == "openai"
    where = config.base_url or OPENAI
    if status in (401, 403):
        options = "--openai.api_key or OPENAI_API_KEY" if is_chat else "--openai.api_key"
        raise StartupError(
            f"The inference server at {where} refuses the key (HTTP {status}): set {options}."
        )
    if not is_chat:
        is_well = (status < 400 or status in NO_PAGE) and not is_web_page(body)
        return None if is_well else quoted(status, body)
    if status == 200 and is_web_page(body):
        raise StartupError(WEB_PAGE.format(f"The inference server at {where}"))
    if status >= 500:
        return quoted(status, body)
    _warn_of_model(config, status, body)
    return None


def _warn_of_model(config: Any, status: int, body: str) -> None:
    """Warn if a chat server lists models without this one; some take names that they don't list."""
    try:
        names = {str(model["id"]) for model in json.loads(body)["data"]} if status == 200 else set()
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
    outage = Patience(patience)
    limits = [getattr(getattr(server, "config", None), "timeout", 0) for server in servers]
    longest = max(patience, *limits, 0)
    silent_for, answered_before = 0.0, 0
    while not outage.exhausted and silent_for <= longest:
        await asyncio.sleep(CHECK_SECONDS)
        under_way, answered = requests()
        if answered != answered_before:
            silent_for, answered_before = 0.0, answered
        elif under_way:
            silent_for += CHECK_SECONDS
        if any(getattr(server, "server_healthy", True) for server in servers):
            if outage.failing_for:
                log.info("Inference is back after %.0f s.", outage.failing_for)
            outage.worked()
        else:
            if not outage.failing_for:
                log.warning("No inference server is healthy; waiting up to %g s.", patience)
            outage.failed()
    problem = f"No inference server was healthy for {patience:g} s"
    if silent_for > longest:
        problem = (
            f"No inference server has answered a request for {silent_for:.0f} s "
            "(--env.outage_patience, or --openai.timeout if that is longer)"
        )
    abort(StartupError(f"{problem}: check it, then start again."))


def stop_health_checks(servers: Iterable[Any]) -> None:
    """Cancel the health checks that Atropos' clients run in the background."""
    for server in servers:
        if getattr(server, "check_task", None) is not None:
            server.check_task.cancel()
