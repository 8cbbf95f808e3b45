"""Check at the start that files load, folders can be written and addresses are addresses."""

import contextlib
import logging
import tempfile
import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

from rgenv.errors import StartupError
from rgenv.runtime.progress import say_if_slow
from rgenv.text import one_line, refusal

T = TypeVar("T")

log = logging.getLogger(__name__)


def address_problem(url: str) -> str | None:
    """Return what is wrong with the address of a server, or None."""
    with contextlib.suppress(ValueError):  # a port that is not a number
        parts = urlsplit(url)
        if ",http" in url:
            return f"{url!r} is more than one address: list several inference servers in a file."
        is_web = parts.scheme in ("http", "https") and parts.hostname and (parts.port or 1) > 0
        if is_web and not any(map(str.isspace, url)):
            return None
    return f"{url!r} is not an address: write http://HOST:PORT or https://HOST."


def file_on_path(folder: Path) -> Path | None:
    """Return what is a file and should be a folder, among `folder` and its parents; or None."""
    nearest = next((path for path in (folder, *folder.parents) if path.exists()), Path())
    return None if nearest.is_dir() else nearest


def require_writable(folder: Path, option: str) -> None:
    """Write a file where a folder is or will be, and remove it; StartupError: that fails."""
    try:
        existing = next(path for path in (folder, *folder.absolute().parents) if path.exists())
        with tempfile.TemporaryFile(dir=existing) as file:
            file.write(b"x")
    except OSError as error:
        raise StartupError(
            f"{folder} can't be written ({refusal(error)}): set --env.{option} to another place."
        ) from None


def require_in_time(load: Callable[[], T], timeout: float, message: str, *, doing: str) -> T:
    """Return what `load` returns in a daemon thread within `timeout` seconds.

    Else raise StartupError with `message`, which has a field ``{why}``. The log says what is done.
    """
    loaded: Future[T] = Future()

    def run() -> None:
        try:
            loaded.set_result(load())
        except Exception as error:  # a foreign loader can raise anything
            loaded.set_exception(error)

    log.info("%s.", doing)
    threading.Thread(target=run, daemon=True).start()
    try:
        with say_if_slow(doing):
            return loaded.result(timeout)
    except Exception as error:
        first = one_line(f"{type(error).__name__}: {error}".split("\n")[0])
        why = first if loaded.done() else f"no answer in {timeout:g} s"
        raise StartupError(message.format(why=why)) from None
