"""Keep API keys, passwords and tokens out of everything that is printed or written.

`hide` knows a secret by the name before it, by its place in a URL, or by its value. The values are
those of this process, because an inference server may quote a key in an error message.
"""

import base64
import contextlib
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TextIO
from urllib.parse import quote, unquote

HIDDEN = "***"

SHORTEST = 6
"""Characters. Shorter values, such as the key `x` for servers that want none, hide nothing."""

_NAMES = r"api[_-]?keys?|access[_-]?keys?|secret|passw(?:or)?d|credentials?|authorization"
_SECRET_NAME = re.compile(rf"(?:^|[._-])(?:{_NAMES}|token)$", re.IGNORECASE)
_NAMED_VALUE = re.compile(
    rf"((?:{_NAMES})\b['\"]?\s*[=:]\s*['\"]?(?:(?:Bearer|Basic)\s+)?)([^\s'\",;&}}]{{8,}})",
    re.IGNORECASE,
)
# Repetitions that begin at many places have a limit: a server chooses the text.
_URL = re.compile(r"[a-z][a-z0-9+.-]{0,30}+://[^\s'\"<>]+", re.IGNORECASE)
_USER = re.compile(r"(?<=//)(?:[^/?#]*@|[^/?#:@]+:(?![0-9]+[/?#])\S{0,500}@)")
"""Up to the host; also if the password has a slash that should have been written as %2F."""
_USER_WITHOUT_SCHEME = re.compile(r"(?<![\w/*])[\w.%+-]{1,100}+:[^\s/@'\"<>]{1,200}@(?=[\w[])")
_QUERY_VALUE = re.compile(r"([?&]([^=&#\s]{1,200})=)([^&#\s]+)")
_QUERY_NAMES = {"key", "sig", "signature", "auth"}
_NAMED_QUERY_VALUE = re.compile(
    rf"([?&](?:[\w-]*(?:{_NAMES}|token)|{'|'.join(_QUERY_NAMES)})=)[^&#\s'\"]+", re.IGNORECASE
)

_values: set[str] = set()


def is_secret(name: str) -> bool:
    """Return whether an option or variable of this name holds a secret."""
    return _SECRET_NAME.search(name) is not None


def remember(value: object) -> None:
    """Hide this text from now on; and the secrets of a mapping or list, at any depth."""
    if isinstance(value, Mapping):
        for name, content in value.items():
            _remember_all(content) if is_secret(str(name)) else remember(content)
    elif isinstance(value, Sequence) and not isinstance(value, str | bytes):
        for content in value:
            remember(content)
    elif isinstance(value, str):
        for url in _URL.findall(value):
            _remember_parts(url)


def remember_words(words: Sequence[str]) -> None:
    """Hide the secrets of a command line, such as `--openai.api_key VALUE`."""
    option = ""
    for word in words:
        if word.startswith("--"):
            option, _, value = word[2:].partition("=")
        else:
            value = word
        _remember_all(value) if is_secret(option) else remember(value)


def hide(text: str) -> str:
    """Return the text with `***` in place of each secret."""
    for value in sorted(_values, key=len, reverse=True):
        text = text.replace(value, HIDDEN)
    text = _URL.sub(lambda match: _without_credentials(match[0]), text)
    text = _USER_WITHOUT_SCHEME.sub(f"{HIDDEN}@", text)
    for named in (_NAMED_VALUE, _NAMED_QUERY_VALUE):
        text = named.sub(rf"\1{HIDDEN}", text)
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
    """Hide secrets in all that is written to stdout and stderr.

    After an exception the streams stay as they are, because its traceback is still to be written.
    """
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

    def writelines(self, lines: Sequence[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _remember_all(value: object) -> None:
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for content in value:
            _remember_all(content)
    elif isinstance(value, str) and len(value) >= SHORTEST:
        plain = unquote(value)
        in_json = [json.dumps(one)[1:-1] for one in (value, plain)]
        _values.update((value, plain, quote(plain, safe=""), *in_json))
        _values.update(text.replace("/", r"\/") for text in in_json)


def _remember_parts(url: str) -> None:
    for user in _USER.findall(url):
        name, _, password = user[:-1].partition(":")
        sent = unquote(f"{name}:{password}").encode("latin1", "replace")  # as aiohttp sends it
        _remember_all([user[:-1], password, base64.b64encode(sent).decode()])
    for _, name, value in _QUERY_VALUE.findall(url):
        if is_secret(name) or name.lower() in _QUERY_NAMES:
            _remember_all(value)


def _without_credentials(url: str) -> str:
    return _QUERY_VALUE.sub(rf"\1{HIDDEN}", _USER.sub(f"{HIDDEN}@", url))
