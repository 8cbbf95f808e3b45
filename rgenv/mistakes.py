"""Say in one sentence what is wrong with the value of a setting."""

import re
from collections.abc import Callable
from typing import Any

from pydantic import ValidationError

from rgenv.secrets import is_secret
from rgenv.text import did_you_mean, nearest

_MUST_BE = {
    "bool": "true or false",
    "dict": "a mapping",
    "enum": "{expected}",
    "finite_number": "a finite number",
    "float": "a number",
    "greater_than": "greater than {gt:g}",
    "greater_than_equal": "at least {ge:g}",
    "int": "a whole number",
    "int_parsing_size": "a number with fewer digits",
    "less_than": "less than {lt:g}",
    "less_than_equal": "at most {le:g}",
    "list": "a list",
    "literal_error": "{expected}",
    "string": "text",
    "tuple": "a list",
}
"""pydantic's type of an error, without its last words -> what the value must be."""


def invalid_values(error: ValidationError, written: Callable[[str], str] = str) -> str:
    """Return what is wrong with values; `written` makes ``--env.seed`` of the field ``seed``."""
    return " ".join(dict.fromkeys(_sentence(problem, written) for problem in error.errors()))


def _sentence(problem: Any, written: Callable[[str], str]) -> str:
    if not problem["loc"]:  # an error of the configuration as a whole, which names the options
        return _closed(_own_message(problem))
    field, *inside = map(str, problem["loc"])
    name = written(field)
    if problem["type"] == "extra_forbidden":
        return f"There is no option {name}."
    if problem["type"] == "missing":  # of a list of fixed length
        return f"{name} has too few values."
    if problem["type"] == "too_long":
        return f"{name} has more than {problem['ctx']['max_length']} values."
    if inside:
        name = f"{name} ({', '.join(inside)})"
    kind = _MUST_BE.get(re.sub("_(type|parsing|from_float)$", "", problem["type"]))
    if kind is None:
        return _closed(f"{name}: {_own_message(problem)}")
    context = problem.get("ctx", {})
    must_be = f"{name} must be {kind.format(**context)}"
    must_be += ", or none" if field == "complexity_mode" else ""
    if is_secret(field):
        return f"{must_be}."
    words = [word for word in str(context.get("expected", "")).split("'") if word.isidentifier()]
    hint = did_you_mean(nearest(str(problem["input"]), set(words) - {"or", "and"}))
    if field == "server_type":
        hint = " A chat endpoint, such as Ollama's, is openai: evaluate and profile ask it."
    shown = repr(problem["input"])
    return f"{must_be}, not {shown if len(shown) <= 80 else f'{shown[:79]}…'}.{hint}"


def _own_message(problem: Any) -> str:
    """Return the message of a validator, without the words that pydantic puts before it."""
    raised = problem.get("ctx", {}).get("error")
    return str(raised) if isinstance(raised, Exception) else str(problem["msg"])


def _closed(sentence: str) -> str:
    return sentence if sentence.endswith((".", "?", "!")) else f"{sentence}."
