"""Keep API keys, passwords and tokens out of everything that is printed or written.

A secret is a value that this process knows: of an option, a variable or a key of a configuration
with such a name, or of a part of a URL. `remember` reads them at the start, and `hide` is the one
filter of all texts that are printed or saved: an inference server may quote a key in an error.
"""

import contextlib
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TextIO

_SECRET_NAME = re.compile(
    r"(?:^|[._-])(?:api[_-]?keys?|access[_-]?keys?|secret|passw(?:or)?d|credentials?|authorization"
    r"|token)$",
    re.IGNORECASE,
)
_values: set[str] = set()


def is_secret(name: str) -> bool:
    """Return whether an option or variable of this name holds a secret."""
    return _SECRET_NAME.search(name) is not None


def remember(value: object, name: str = "") -> None:
    """Hide a text from now on if its name says that it is secret, else the secrets of its URLs.

    Of a mapping or list, the same at any depth; the names are those of the mapping.
    """
    if isinstance(value, Mapping):
        for key, content in value.items():
            remember(content, name if is_secret(name) else str(key))
    elif isinstance(value, list | tuple):
        for content in value:
            remember(content, name)
    elif isinstance(value, str):
        found = [value] if is_secret(name) else _secrets_of_url(value)
        # Shorter ones, such as the key `x` for servers that want none, hide nothing.
        _values.update(secret for secret in found if len(secret) >= 6)


def remember_words(words: Sequence[str]) -> None:
    """Hide the secrets of a command line, such as `--openai.api_key VALUE`."""
    option = ""
    for word in words:
        if word.startswith("--"):
            option, _, value = word[2:].partition("=")
        else:
            value = word
        remember(value, option)


def _secrets_of_url(text: str) -> list[str]:
    parts = re.findall(r"//([^\s/?#]+)@", text)
    users = [user for part in parts for user in (part, part.partition(":")[2])]
    queries = re.findall(r"[?&]([^=&#\s]+)=([^&#\s]+)", text)
    keys = {"key", "sig", "signature", "auth"}
    return users + [v for name, v in queries if is_secret(name) or name.lower() in keys]


def hide(text: str) -> str:
    """Return the text with `***` in place of each secret."""
    for value in sorted(_values, key=len, reverse=True):
        text = text.replace(value, "***")
    return text


def without_secrets(value: Any) -> Any:
    """Return a copy of a configuration without its secrets: JSON-like data of any depth."""
    if isinstance(value, Mapping):
        return {k: without_secrets(v) for k, v in value.items() if not is_secret(str(k))}
    if isinstance(value, list | tuple):
        return [without_secrets(content) for content in value]
    return hide(value) if isinstance(value, str) else value


@contextlib.contextmanager
def hidden_in_output() -> Iterator[None]:
    """Hide secrets in stdout and stderr; after an exception, too, whose traceback is to come."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = _Hiding(sys.stdout), _Hiding(sys.stderr)
    yield
    sys.stdout, sys.stderr = before


class _Hiding:
    """A text stream that hides secrets in what it passes on."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        self._stream.write(hide(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        self.write("".join(lines))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
