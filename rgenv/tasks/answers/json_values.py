"""JSON, also as Python writes it: with single quotes."""

import json
import re
from typing import Any

from rgenv.tasks.answers.kind import Answer

_STRING = re.compile(r"\"[^\"]*\"|'[^']*'")


def parse(text: str) -> Any:
    """Return the value of a JSON text whose strings may stand in single quotes.

    Raises:
        ValueError: the text is not JSON, a key comes twice, or a number is not finite.
    """
    if "'" in text and "\\" not in text:
        text = _STRING.sub(lambda string: json.dumps(string[0][1:-1]), text)
    try:
        return json.loads(text, object_pairs_hook=without_duplicates, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("nested too deep") from None


def without_duplicates(pairs: list[tuple[Any, Any]]) -> dict[Any, Any]:
    """Return a dict; raise ValueError if a key comes twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key comes twice")
    return found


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not a number")


class JsonValue(Answer):
    """A value that the library writes as JSON.

    Attributes:
        single_quotes: whether Python's quotes are as good.
        any_order: whether the items of a list may come in any order.
    """

    single_quotes = False
    any_order = False
