"""Check at the start that files load and folders can be written.

::

    require_writable(Path("dumps"), "data_dumps_dir")
    require_in_time(load, 60, "No tokenizer: {why}", doing="Loading the tokenizer")

Whatever is missing raises a `StartupError` whose message names it and the remedy.
"""

import contextlib
import logging
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

from rgenv.errors import StartupError
from rgenv.runtime.files import make_folder
from rgenv.text import one_line, refusal

T = TypeVar("T")

log = logging.getLogger(__name__)

LINE_SECONDS = 10.0


def address_problem(url: str) -> str | None:
    """Return what is wrong with the address of a server, or None."""
    with contextlib.suppress(ValueError):  # a port that is not a number
        parts = urlsplit(url)
        is_whole = bool(parts.hostname) and not any(map(str.isspace, url))
        if parts.scheme in ("http", "https") and is_whole and (parts.port or 1) > 0:
            return None
    return f"{url!r} is not an address: write http://HOST:PORT or https://HOST."


def file_on_path(folder: Path) -> Path | None:
    """Return what is a file and should be a folder, among `folder` and its parents; or None."""
    exists = (path for path in (folder, *folder.parents) if path.exists())
    nearest = next(exists, None)
    return None if nearest is None or nearest.is_dir() else nearest


def require_writable(folder: Path, option: str) -> None:
    """Write a file into a folder, which is created if it is missing; the file leaves no trace.

    Raise StartupError with the option that sets the folder if that fails.
    """
    try:
        make_folder(folder)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"x")
    except OSError as error:
        raise StartupError(
            f"{folder} can't be written ({refusal(error)}): set --env.{option} to another place."
        ) from None


def require_in_time(load: Callable[[], T], timeout: float, message: str, *, doing: str) -> T:
    """Return what `load` returns in a daemon thread within `timeout` seconds.

    Args:
        message: of the StartupError if it raises or takes too long, with a field ``{why}``.
        doing: what is done, for the log: at once, and every `LINE_SECONDS`.
    """
    loaded: Future[T] = Future()

    def run() -> None:
        try:
            loaded.set_result(load())
        except Exception as error:  # a foreign loader can raise anything
            loaded.set_exception(error)

    log.info("%s.", doing)
    began = time.monotonic()
    threading.Thread(target=run, daemon=True).start()
    while not wait([loaded], max(0, min(LINE_SECONDS, began + timeout - time.monotonic()))).done:
        if time.monotonic() - began >= timeout:
            raise StartupError(message.format(why=f"no answer in {timeout:g} s"))
        log.info("%s: %.0f s so far.", doing, time.monotonic() - began)
    if error := loaded.exception():
        why = f"{type(error).__name__}: {error}".split("\n")[0]
        raise StartupError(message.format(why=one_line(why)))
    return loaded.result()
