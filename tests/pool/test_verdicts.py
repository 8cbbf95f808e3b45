"""rgenv/pool/verdicts.py: verdicts from answers and replies."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rgenv.pool.verdicts import verdict_from_reply, verdict_without_scoring
from rgenv.types import KINDS


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (None, "no_answer"),
        ("", "no_answer"),
        ("x" * 11, "too_large"),
        ("é" * 6, "too_large"),
        ("\ud800" * 4, "too_large"),
    ],
)
def test_some_answers_need_no_worker(answer: str | None, kind: str) -> None:
    """Missing, empty and too large answers score 0; size counts in bytes."""
    verdict = verdict_without_scoring(answer, max_bytes=10)
    assert verdict is not None and (verdict.score, verdict.kind) == (0.0, kind)


@pytest.mark.parametrize("answer", ["x" * 10, "é" * 5, "\ud800", " "])
def test_other_answers_are_scored(answer: str) -> None:
    """Answers up to the limit have no verdict yet, lone surrogates included."""
    assert verdict_without_scoring(answer, max_bytes=10) is None


@pytest.mark.parametrize(
    ("reply", "score", "kind"),
    [
        ({"raw": 7.0, "tagged": 0.0}, 1.0, "scored"),
        ({"raw": -7.0, "tagged": None}, 0.0, "scored"),
        ({"raw": 0.2, "tagged": 0.4}, 0.4, "scored"),
        ({"raw": float("inf"), "tagged": None}, 0.0, "error"),
        ({"raw": "1.0", "tagged": True}, 0.0, "error"),
        ({"raw": None, "tagged": 0.5, "raw_error": "ValueError: x"}, 0.5, "error"),
        ({"rejected": "calls a function", "raw": 1.0}, 0.0, "rejected"),
        ({}, 0.0, "error"),
        ({"made": True}, 0.0, "error"),
    ],
)
def test_the_better_form_counts_and_wrong_types_do_not(
    reply: dict[str, Any], score: float, kind: str
) -> None:
    """The score is the maximum of the two forms; a value that is no finite number is ignored."""
    verdict = verdict_from_reply(reply)
    assert (verdict.score, verdict.kind) == (score, kind)


def test_the_detail_names_the_form_that_failed() -> None:
    """Errors of both forms are in the detail of the verdict."""
    verdict = verdict_from_reply({"raw": 1.0, "raw_error": "a", "tagged_error": "b"})
    assert verdict.detail == "raw: a; tagged: b"


values = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.none())


@given(st.dictionaries(st.sampled_from(["raw", "tagged", "raw_error", "rejected", "made"]), values))
def test_any_reply_gives_a_valid_verdict(reply: dict[str, Any]) -> None:
    """Whatever a worker sends, the score is a finite float in [0, 1] and the kind is known."""
    verdict = verdict_from_reply(reply)
    assert type(verdict.score) is float and math.isfinite(verdict.score)
    assert 0.0 <= verdict.score <= 1.0
    assert verdict.kind in KINDS
