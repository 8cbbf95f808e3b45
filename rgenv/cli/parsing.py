"""Parse the text of options: lists, mappings and levels, as words or as JSON.

::

    split_words("gcd, lcm")             # ["gcd", "lcm"]
    parse_mapping("gcd=2,lcm=1")        # {"gcd": "2", "lcm": "1"}
    parse_request("temperature=null")   # {"temperature": None}

Each function takes any value of an option, and returns what is not text unchanged.
"""

import json
from collections.abc import Iterable
from typing import Any

from rgenv.task_names import parse_levels, parse_names


def none_word(value: Any) -> Any:
    """Return None for text that stands for it: none, null or nothing."""
    is_none = isinstance(value, str) and value.lower() in ("", "none", "null")
    return None if is_none else value


def split_words(value: Any) -> Any:
    """Return the list that ``gcd,lcm`` or a JSON list stands for, empty for None."""
    if (value := none_word(value)) is None:
        return []
    if not isinstance(value, str):
        return value
    if value.lstrip().startswith("["):  # otherwise a pattern, such as [a-c]*
        try:
            return _parse_json(value)
        except ValueError:
            pass
    return parse_names(value)


def parse_mapping(value: Any) -> Any:
    """Return the mapping that ``name=value,...`` or a JSON object stands for, empty for None.

    Raises:
        ValueError: the text is neither, or has a name twice.
    """
    if (value := none_word(value)) is None:
        return {}
    if not isinstance(value, str):
        return value
    if value.lstrip().startswith("{"):
        return _parse_json(value)
    return _parse_pairs(value)


def parse_request(value: Any) -> Any:
    """Return the same as `parse_mapping`; in ``name=value,...``, values are JSON or else words."""
    parsed = parse_mapping(value)
    if not isinstance(value, str) or value.lstrip().startswith("{"):
        return parsed
    return {name: _json_or_word(word) for name, word in parsed.items()}


def levels(value: Any) -> Any:
    """Return the levels that a text or a list of words stands for."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        value = split_words(value)
    if isinstance(value, list | tuple):
        value = ",".join(str(level) for level in value)
    return parse_levels(value) if isinstance(value, str) else value


def _parse_pairs(text: str) -> dict[str, Any]:
    pairs = [pair.strip().partition("=") for pair in text.split(",") if pair.strip()]
    if wrong := [name + equals for name, equals, _ in pairs if not (name and equals)]:
        raise ValueError(f"write name=value,... or JSON, not {wrong[0]!r}")
    return _without_repetition((name.strip(), word.strip()) for name, _, word in pairs)


class _Refused(ValueError):
    """Text that Python's parser accepts and we don't."""


def _without_repetition(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    mapping: dict[str, Any] = {}
    for name, value in pairs:
        if name in mapping:
            raise _Refused(f"{name!r} comes twice")
        mapping[name] = value
    return mapping


def _refuse_constant(word: str) -> None:
    raise _Refused(f"{word} is no number that JSON has")


def _parse_json(text: str) -> Any:
    try:
        return json.loads(
            text, object_pairs_hook=_without_repetition, parse_constant=_refuse_constant
        )
    except _Refused:
        raise
    except RecursionError:
        raise ValueError("this JSON is nested too deeply") from None
    except ValueError as error:
        raise ValueError(f"this is not valid JSON: {error}") from None


def _json_or_word(text: str) -> Any:
    try:
        return _parse_json(text)
    except ValueError:
        return text
