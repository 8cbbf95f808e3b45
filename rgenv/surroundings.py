"""What has to be there before anything starts, and what the machine tells about itself.

    await require_answer("http://localhost:8000/", 60, "No rollout API ...: start it with ...",
                         is_well=lambda body: "AtroposLib" in body)

Everything that is missing becomes a `StartupError` whose one sentence names it and the remedy.
"""

from __future__ import annotations

import asyncio
import contextlib
import netrc
import os
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import urlparse

import aiohttp

POLL_SECONDS = 0.5


class StartupError(RuntimeError):
    """Something outside is missing; the message says what, where, and how to set or start it."""


def short(error: BaseException) -> str:
    """An exception in one line; a retry's wrapper gives way to what it wraps."""
    attempt = getattr(error, "last_attempt", None)
    if attempt is not None and attempt.failed:
        return short(attempt.exception())
    return f"{type(error).__name__}: {error}"[:300]


async def require_answer(
    url: str, timeout: float, message: str, *, is_well: Callable[[str], bool]
) -> None:
    """Poll `url` until its body `is_well`.

    Raises:
        StartupError: `message`, and what happened last, after `timeout` seconds.
    """
    deadline = time.monotonic() + timeout
    while True:
        why = await _trouble_with(url, is_well)
        if why is None:
            return
        if time.monotonic() > deadline:
            raise StartupError(f"{message} (Last: {why})")
        await asyncio.sleep(POLL_SECONDS)


async def _trouble_with(url: str, is_well: Callable[[str], bool]) -> str | None:
    limit = aiohttp.ClientTimeout(total=10)
    try:
        async with aiohttp.ClientSession(timeout=limit) as session, session.get(url) as reply:
            body = await reply.text(errors="replace")
    except (aiohttp.ClientError, TimeoutError, ValueError) as error:
        return short(error)
    if reply.status < 400 and is_well(body):
        return None
    return f"HTTP {reply.status}, {body[:60]!r}"


def require_in_time(load: Callable[[], object], timeout: float, message: str) -> None:
    """Run `load` in bounded time; what hangs is left behind in a daemon thread.

    Raises:
        StartupError: `message` with ``{why}`` filled in.
    """
    trouble: list[Exception] = []

    def run() -> None:
        try:
            load()
        except Exception as error:  # foreign code with many ways to say no
            trouble.append(error)

    loader = threading.Thread(target=run, daemon=True)
    loader.start()
    loader.join(timeout)
    if loader.is_alive():
        raise StartupError(message.format(why=f"no answer in {timeout:g} s"))
    if trouble:
        raise StartupError(message.format(why=short(trouble[0]).split("\n")[0]))


def replica(environment: Mapping[str, str] = os.environ) -> tuple[int, int]:
    """Which replica this process is and of how many, as SLURM or torch's launcher tell it."""
    for rank, size in (("SLURM_PROCID", "SLURM_NTASKS"), ("RANK", "WORLD_SIZE")):
        if environment.get(rank, "").isdigit() and environment.get(size, "").isdigit():
            return int(environment[rank]), int(environment[size])
    return 0, 1


def has_wandb_account(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether wandb would log in without asking, or was told what to do instead."""
    if any(environment.get(name) for name in ("WANDB_API_KEY", "WANDB_MODE", "WANDB_DISABLED")):
        return True
    host = urlparse(environment.get("WANDB_BASE_URL", "https://api.wandb.ai")).hostname or ""
    with contextlib.suppress(OSError, netrc.NetrcParseError):
        return netrc.netrc(environment.get("NETRC")).authenticators(host) is not None
    return False


def dumps_folder(configured: str | None, root: Path) -> Path:
    """Where rollouts go: as configured, else data_dumps beside the module, else here."""
    if configured is not None:
        return Path(configured)
    beside = root / "data_dumps"
    return beside if beside.is_dir() and os.access(beside, os.W_OK) else Path("data_dumps")
