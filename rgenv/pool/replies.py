"""Read the lines of a worker, which may be anything: parse them and check what they hold.

::

    reply = parsed(b'{"id": "4f2a", "made": true}')    # a dict, or ValueError
    made(body(reply, "4f2a"))                          # its readers raise ValueError, too

Length and depth are bounded before a line is parsed. Numbers are of ordinary size and finite, keys
come once, and texts can be encoded. A reader takes the reply to one operation: all keys of
rgenv/worker/protocol.py, each of its type, and no others.
"""

import itertools
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from rgenv.types import Kind, Verdict

MAX_LINE_BYTES = 1024 * 1024
MAX_VERDICT_BYTES = 16 * 1024
"""The longest line of a reply, and of one that scores an answer or says that it can."""

MAX_DEPTH = 32
MAX_NUMBER_CHARACTERS = 64
MAX_DETAIL_CHARACTERS = 300

_STRING = re.compile(rb'"(?:[^"\\]|\\.)*+"')
_SURROGATE = re.compile(rb"\\u[dD]")

Body = Mapping[str, Any]
"""A reply without its id."""


class WorkerRefused(RuntimeError):
    """The worker could not do what was asked, and can do the next request."""


class TasksRefused(WorkerRefused):
    """The worker can't load a user's own tasks; the message says why, for their author.

    Attributes:
        traceback: of the exception in the worker.
    """

    def __init__(self, message: str, traceback: str) -> None:
        super().__init__(message)
        self.traceback = traceback


def parsed(line: bytes) -> dict[str, Any]:
    """Return the JSON object of a line; raise ValueError if it is none that a worker sends."""
    if _is_deep(line):
        raise ValueError("more than ordinary depth")
    try:
        value = _DECODER.decode(line.decode("utf-8"))
    except RecursionError:
        raise ValueError("more than ordinary depth") from None
    if not isinstance(value, dict):
        raise ValueError("no JSON object")
    if _SURROGATE.search(line):
        json.dumps(value, ensure_ascii=False).encode("utf-8")  # UnicodeEncodeError is a ValueError
    return value


def body(reply: dict[str, Any], asked_id: str) -> Body:
    """Return what a reply says.

    Args:
        asked_id: what was sent with the request for this reply.

    Raises:
        ValueError: it is the reply to something else.
        WorkerRefused: the worker could not do the request; the message says why.
    """
    if reply.pop("id", None) != asked_id:
        raise ValueError("a reply to no request")
    if reply.keys() == {"failed"}:
        raise WorkerRefused(_detail(reply["failed"]))
    return reply


def greeting(reply: Body) -> Body:
    """Read what a worker sends after its start; keys that are not named here are left as they are.

    Raises TasksRefused, too, if the worker can't load a user's own tasks.
    """
    if reply.keys() == {"refused", "traceback"} and _are_texts([*reply.values()]):
        raise TasksRefused(_detail(reply["refused"]), reply["traceback"])
    shape = {"ready": (bool,), "version": (str,), "fixed": (list,), "layers": (list,)}
    _require({name: reply.get(name) for name in shape}, shape)
    tasks, sources, differences, missing, own = (
        _mapping(reply.get(name)) for name in ("tasks", "sources", "differences", "missing", "own")
    )
    lists = [reply["fixed"], reply["layers"], *differences.values(), *missing.values()]
    if not all(isinstance(names, list) for names in lists):
        raise ValueError("a greeting of wrong types")
    if any(len(state_and_words) != 2 for state_and_words in missing.values()):
        raise ValueError("a greeting of wrong types")
    words = [text for named in (tasks, sources, own) for text in named.values()]
    if not _are_texts([*words, *itertools.chain(*lists)]):
        raise ValueError("a greeting of wrong types")
    return reply


def _mapping(value: Any) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ValueError("a greeting of wrong types")
    return value


def problem(reply: Body) -> Body:
    """Read the reply to a make request."""
    _require(reply, _PROBLEM)
    if reply["seed"] < 0:
        raise ValueError("a negative seed")
    return reply


def solution(reply: Body) -> str | None:
    """Read the reply to a solve request."""
    answer: str | None = _only(reply, "answer", str, type(None))
    return answer


def fault(reply: Body) -> str | None:
    """Read the reply to an attempt request."""
    found = _only(reply, "fault", str, type(None))
    return None if found is None else _detail(found)


def inspection(reply: Body) -> Body:
    """Read the reply to an inspect request."""
    _require(reply, _INSPECTION)
    if not _are_texts([*reply["shortcuts"].values(), *reply["accepted"].values()]):
        raise ValueError("an inspection of wrong types")
    return reply


def forked(reply: Body) -> int:
    """Read a template's reply to a fork request: the process id of the worker."""
    pid: int = _only(reply, "pid", int)
    return pid


def status(reply: Body) -> int:
    """Read a template's reply to a status request: the exit status of a worker."""
    found: int = _only(reply, "status", int)
    return found


def prepared(reply: Body) -> None:
    """Read a template's reply to a prepare request."""
    _only(reply, "prepared", bool)


def made(reply: Body) -> None:
    """Read the first reply to a score request."""
    if _only(reply, "made", bool) is not True:
        raise ValueError("no word that the problem is made")


def verdict(reply: Body) -> Verdict:
    """Read the reply to one answer. The score of the verdict is the better one of both forms."""
    if reply.keys() == {"rejected"}:
        return Verdict(0.0, "rejected", detail=_detail(reply["rejected"]))
    errors = [form for form in ("raw", "tagged") if f"{form}_error" in reply]
    if reply.keys() != {"raw", "tagged", *(f"{form}_error" for form in errors)}:
        raise ValueError("no verdict")
    raw, tagged = _score(reply["raw"]), _score(reply["tagged"])
    detail = "; ".join(f"{form}: {_detail(reply[f'{form}_error'])}" for form in errors)
    kind: Kind = "scored" if raw is not None else "error"
    return Verdict(max(raw or 0.0, tagged or 0.0), kind, raw, tagged, detail)


def printable(text: str) -> str:
    """Return at most `MAX_DETAIL_CHARACTERS` of a text, on one line and without control codes."""
    return "".join(c if c.isprintable() else " " for c in text[:MAX_DETAIL_CHARACTERS])


_PROBLEM = {
    "question": (str,),
    "answer": (str, type(None)),
    "seed": (int,),
    "config": (dict,),
    "winnable": (bool,),
    "hardened": (bool,),
    "family": (int,),
    "held_out": (bool,),
}
_INSPECTION = {
    "shortcuts": (dict,),
    "work": (float, int, type(None)),
    "accepted": (dict,),
}


def _score(value: Any) -> float | None:
    if value is None:
        return None
    if type(value) is not float or not 0.0 <= value <= 1.0:
        raise ValueError("a score that is no float in [0, 1]")
    return value


def _detail(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("a reason that is no text")
    return printable(value)


def _require(reply: Body, shape: Mapping[str, tuple[type, ...]]) -> None:
    """Raise ValueError unless a reply has exactly these keys, with values of these types.

    The types are exact: a bool is no int.
    """
    if reply.keys() != shape.keys():
        raise ValueError("a reply with other keys than were asked for")
    for name, types in shape.items():
        if type(reply[name]) not in types:
            raise ValueError(f"a reply whose {name} is of a wrong type")


def _only(reply: Body, name: str, *types: type) -> Any:
    """Return the value of the only key of a reply, which has one of these types."""
    _require(reply, {name: types})
    return reply[name]


def _are_texts(values: list[Any]) -> bool:
    return all(isinstance(value, str) for value in values)


def _is_deep(line: bytes) -> bool:
    """Return whether arrays and objects are nested deeper than `MAX_DEPTH`; takes linear time."""
    if line.count(b"[") + line.count(b"{") <= MAX_DEPTH:
        return False
    depth = 0
    for character in _STRING.sub(b"", line):
        if character in b"[{":
            depth += 1
            if depth > MAX_DEPTH:
                return True
        elif character in b"]}":
            depth -= 1
    return False


def _number(convert: Callable[[str], Any]) -> Callable[[str], Any]:
    """Return `convert` for numbers of ordinary length; that of others takes quadratic time."""

    def converted(text: str) -> Any:
        if len(text) > MAX_NUMBER_CHARACTERS:
            raise ValueError("a number of more than ordinary length")
        value = convert(text)
        if value in (float("inf"), float("-inf")):
            raise ValueError("a number that is not finite")
        return value

    return converted


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key that comes twice")
    return found


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object,
    parse_int=_number(int),
    parse_float=_number(float),
    parse_constant=_no_constant,
)
