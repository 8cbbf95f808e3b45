"""rgenv/pool/replies.py: lines of a worker are parsed within limits, and checked by operation."""

import json
import math
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rgenv.pool import replies
from rgenv.types import KINDS
from tests.support.timing import processor_seconds

PROBLEM = {
    "question": "gcd of 4 and 6?",
    "answer": "2",
    "seed": 7,
    "config": {"max": 1e3},
    "winnable": True,
    "hardened": False,
    "family": 18,
    "held_out": False,
}

GREETING = {"ready": True, "version": "1", "tasks": None, "fixed": ["ab"], "layers": ["seccomp"]}


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"nonsense",
        b"[1]",
        b"{} {}",
        b'{"a": 1, "a": 2}',
        b'{"a": {"b": 1, "b": 1}}',
        b'{"a": NaN}',
        b'{"a": -Infinity}',
        b'{"a": 1e999}',
        b'{"a": ' + b"9" * 5000 + b"}",
        b'{"a": 0.' + b"9" * 100_000 + b"}",
        b'{"a": ' + b"[" * 33 + b"]" * 33 + b"}",
        b'{"a": ' + b'{"a":' * 100_000 + b"1" + b"}" * 100_001,
        b"[" * 1_000_000,
        b'"["' + b"[" * 1_000_000,
        b'{"a": "\xff"}',
        b'{"a": "\\ud800"}',
        b'{"\\udc00": 1}',
        b'\xef\xbb\xbf{"a": 1}',
        json.dumps({"a": 1}).encode("utf-16"),
        b"\x80\x04\x95.",
    ],
)
def test_a_line_that_no_worker_sends_is_refused(line: bytes) -> None:
    with processor_seconds(1), pytest.raises(ValueError):
        replies.parsed(line)


@pytest.mark.parametrize(
    "value",
    [
        {"text": '"[{' * 500 + "\\" * 7 + "\U0001f600\u2028"},
        {"numbers": [1e-300, -0.0, 2**53, -(10**40)]},
        {"grid": [[[0] * 50] * 50]},
        {"deep": json.loads("[" * 31 + "]" * 31)},
    ],
)
def test_ordinary_values_are_parsed(value: dict[str, Any]) -> None:
    assert replies.parsed(json.dumps(value).encode()) == value


@settings(suppress_health_check=[HealthCheck.too_slow])  # on a busy machine
@given(st.binary(max_size=200) | st.text(alphabet='{}[]":,\\0 19eE.-utd8f', max_size=60))
def test_any_line_is_an_object_or_refused(line: bytes | str) -> None:
    try:
        value = replies.parsed(line if isinstance(line, bytes) else line.encode())
    except ValueError:
        return
    assert isinstance(value, dict)


@pytest.mark.parametrize("label", [{}, {"id": "b"}, {"id": ["a"]}, {"id": None}, {"id": "a "}])
def test_a_reply_has_the_id_that_was_asked_for(label: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        replies.body({**label, "made": True}, "a")


def test_a_request_that_fails_is_told_from_a_reply() -> None:
    """`failed` comes alone, and its text fits on a line."""
    failed = {"id": "a", "failed": "too\n\x1b[31m big" + "g" * 1000}
    with pytest.raises(replies.WorkerRefused) as refusal:
        replies.body(dict(failed), "a")
    assert str(refusal.value).startswith("too  [31m bigg") and len(str(refusal.value)) == 300
    for wrong in ({**failed, "failed": 1}, {**failed, "made": True}):
        with pytest.raises(ValueError):
            replies.made(replies.body(wrong, "a"))


@pytest.mark.parametrize(
    ("read", "reply"),
    [
        (replies.problem, PROBLEM),
        (replies.problem, {**PROBLEM, "answer": None}),
        (replies.solution, {"answer": "2"}),
        (replies.solution, {"answer": None}),
        (
            replies.inspection,
            {"shortcuts": {"first": "1"}, "work": 3.0, "accepted": {}},
        ),
        (replies.made, {"made": True}),
        (replies.greeting, GREETING),
        (replies.verdict, {"raw": 1.0, "tagged": None, "tagged_error": "x"}),
    ],
)
def test_a_reply_has_all_keys_of_its_operation_and_no_others(read: Any, reply: Any) -> None:
    read(reply)
    for name in reply:
        if (read, name) != (replies.greeting, "tasks") and name != "tagged_error":
            with pytest.raises(ValueError):
                read({key: value for key, value in reply.items() if key != name})
        wrong: list[Any] = [[1], -1, "x", {"x": 1}, 2.5, True]
        for value in wrong:
            if type(value) is type(reply[name]) or (name, value) == ("seed", -1):
                continue
            if reply[name] is None and isinstance(value, str | dict):
                continue
            if (name, type(value)) in (("work", int), ("answer", str)):
                continue
            with pytest.raises(ValueError):
                read({**reply, name: value})
    if read is not replies.greeting:
        with pytest.raises(ValueError):
            read({**reply, "more": 1})


@pytest.mark.parametrize(
    "more",
    [
        {"missing": 1},
        {"missing": {"seccomp": "x"}},
        {"missing": {"seccomp": ["missing"]}},
        {"missing": {"seccomp": ["missing", 1]}},
        {"differences": {"new": "gcd"}},
        {"sources": {"gcd": 1}},
    ],
)
def test_what_a_greeting_may_have_is_checked(more: dict[str, Any]) -> None:
    """Layers that are missing have a state and words each; tasks and hashes are texts."""
    with pytest.raises(ValueError, match="wrong type"):
        replies.greeting({**GREETING, **more})


@pytest.mark.parametrize(
    ("reply", "score", "kind"),
    [
        ({"raw": 0.2, "tagged": 0.4}, 0.4, "scored"),
        ({"raw": 0.0, "tagged": None, "tagged_error": "x"}, 0.0, "scored"),
        ({"raw": None, "tagged": 0.5, "raw_error": "ValueError: x"}, 0.5, "error"),
        ({"rejected": "calls a function"}, 0.0, "rejected"),
    ],
)
def test_the_better_form_counts(reply: dict[str, Any], score: float, kind: str) -> None:
    verdict = replies.verdict(reply)
    assert (verdict.score, verdict.kind) == (score, kind)


@pytest.mark.parametrize("score", [7.0, -0.5, 1, 0, True, "1.0", math.inf, math.nan, [1.0], {}])
def test_a_score_is_a_float_between_0_and_1_and_nothing_else(score: Any) -> None:
    """Any other value refuses the whole reply."""
    for reply in ({"raw": score, "tagged": 0.0}, {"raw": 0.0, "tagged": score}):
        with pytest.raises(ValueError):
            replies.verdict(reply)


values = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.none())


@settings(suppress_health_check=[HealthCheck.too_slow])  # on a busy machine
@given(st.dictionaries(st.sampled_from(["raw", "tagged", "raw_error", "rejected", "made"]), values))
def test_any_reply_gives_a_valid_verdict_or_none(reply: dict[str, Any]) -> None:
    try:
        verdict = replies.verdict(reply)
    except ValueError:
        return
    assert type(verdict.score) is float and 0.0 <= verdict.score <= 1.0
    assert verdict.kind in KINDS
