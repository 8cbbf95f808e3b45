"""Format tables, names of levels, exceptions and foreign texts; check texts; suggest words."""

import difflib
import errno
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rgenv.secrets import hide

MOST_SHOWN = 300
"""Characters of a foreign text that are shown."""


def table(
    columns: Sequence[str], rows: Sequence[Sequence[str]], *, last: Sequence[str] | None = None
) -> str:
    """Lay out lines of equal width, the first column to the left; `last` stands below a rule."""
    lines = [columns, *rows, *([last] if last is not None else [])]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    written = [
        "  ".join(
            [line[0].ljust(widths[0])]
            + [cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True)]
        )
        for line in lines
    ]
    rule = "-" * len(written[0])
    written.insert(1, rule)
    if last is not None:
        written.insert(-1, rule)
    return "\n".join(written)


def nearest(word: str, known: Iterable[str], *, n: int = 1, cutoff: float = 0.6) -> list[str]:
    """Return up to `n` known words that `word`, in any case, is probably meant to be."""
    by_case = {one.lower(): one for one in known}
    near = difflib.get_close_matches(word.lower(), by_case, n=n, cutoff=cutoff)
    return [by_case[one] for one in near]


def did_you_mean(words: Sequence[str]) -> str:
    """Return a question to append to an error message; empty without words."""
    return f" Did you mean {' or '.join(words)}?" if words else ""


def level_name(level: float | None) -> str:
    """Return a level as ids, names and reports have it: "none", "0", "0.5"."""
    return "none" if level is None else f"{level:g}"


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number of things, such as "1 problem" or "2,000 problems"."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def file_size(size: int) -> str:
    """Return a number of bytes in words: "12 kB", "3.4 MB"."""
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{size / 1e3:.0f} kB"


def one_line(text: object, most: int = MOST_SHOWN) -> str:
    """Return a foreign text as one printable line for a log, without secrets."""
    words = " ".join(hide(str(text)).split())
    letters = (one if one.isprintable() else ascii(one)[1:-1] for one in words[: most + 1])
    line = "".join(letters)
    return line if len(line) <= most else f"{line[: most - 1]}…"


def quoted(text: str, most: int = 40) -> str:
    """Return a text in quotes, on one line and cut to so many characters."""
    shown = repr(text)
    return shown if len(shown) <= most else f"{shown[: most - 2]}…{shown[0]}"


def quoted_apart(one: str, other: str) -> tuple[str, str]:
    """Return two texts in quotes, each cut so that their first difference is seen."""
    pairs = enumerate(zip(one, other, strict=False))
    start = next((n for n, (a, b) in pairs if a != b), min(len(one), len(other))) - 15
    cut = [text[start:] if start > 0 and len(text) > 30 else text for text in (one, other)]
    first, second = (f"{'…' * (a != b)}{quoted(a)}" for a, b in zip(cut, (one, other), strict=True))
    return first, second


def describe(error: BaseException) -> str:
    """Return type and message of an exception as `one_line`; of tenacity's, those of its cause."""
    attempt = getattr(error, "last_attempt", None)
    if attempt is not None and attempt.failed:
        return describe(attempt.exception())
    return one_line(f"{type(error).__name__}: {error}")


def refusal(error: OSError) -> str:
    """Return what the operating system refused, without number and path, and the remedy if any."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"{error.strerror}: make room and run the command again"
    if error.errno == errno.EFBIG:
        return f"{error.strerror}: raise the limit of `ulimit -f` and run the command again"
    reasons = {
        FileExistsError: "a file of this name exists",
        IsADirectoryError: "it is a folder",
        NotADirectoryError: "a part of the path is a file",
    }
    return reasons.get(type(error)) or error.strerror or str(error) or type(error).__name__


def failed_call(error: OSError) -> str:
    """Return what the operating system refused, with the path if the error has one."""
    paths = [str(path) for path in (error.filename, error.filename2) if path is not None]
    return f"{' and '.join(paths)}: {refusal(error)}." if paths else refusal(error)


def texts(completions: Iterable[str]) -> list[str]:
    """Return completions as a list; raise TypeError if they are one text, or not all are texts."""
    if isinstance(completions, str | bytes) or not isinstance(completions, Iterable):
        raise TypeError("completions must be a list of texts; for one text, write [text].")
    listed = list(completions)
    for index, text in enumerate(listed):
        if not isinstance(text, str):
            raise TypeError(f"completions[{index}] must be a text, not {type(text).__name__}.")
    return listed


def content_text(content: Any) -> str:
    """Return the text of a chat message, whose content may be a text, None, or a list of parts.

    A part is a text, or a mapping with one; parts of other kinds, such as thinking, have none.
    """
    if isinstance(content, list):
        return "".join(map(content_text, content))
    if isinstance(content, Mapping):
        is_text = content.get("type") in (None, "text", "output_text")
        return content_text(content.get("text")) if is_text else ""
    if not isinstance(content, str | None):
        raise TypeError(f"the content of a message is of type {type(content).__name__}")
    return content or ""
