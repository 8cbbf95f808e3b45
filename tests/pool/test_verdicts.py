"""rgenv/pool/verdicts.py: verdicts on answers that no worker sees."""

import pytest

from rgenv.pool.verdicts import verdict_without_scoring


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
