"""Wait at the start until the inference servers answer."""

import asyncio
import functools
from collections.abc import Awaitable, Iterable, Sequence
from typing import Any

from rgenv.errors import StartupError
from rgenv.inference.engine import root_of
from rgenv.inference.http import quoted, require_answer
from rgenv.inference.requests import OPENAI, WEB_PAGE, is_web_page


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
    return quoted(status, body) if status >= 500 else None
