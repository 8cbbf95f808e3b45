"""rgenv/runtime/progress.py: how far a long run is."""

import io

import pytest

from rgenv.runtime import progress
from rgenv.runtime.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_plain_lines_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Count, accuracy so far with what was there before, rate and time left; no control signs."""
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.0)
    out = io.StringIO()
    with Progress("Asking", total=4, done=[{"score": 1.0, "correct": True}], stream=out) as shown:
        shown.add({"score": 0.0, "correct": False})
        shown.add({"error": "timeout"})
    lines = out.getvalue().splitlines()
    assert lines[0].startswith("Asking: 2/4, accuracy 0.500, ")
    assert lines[-1].startswith("Asking: 3/4, accuracy 0.500, ") and lines[-1].endswith(" left")
    assert "\r" not in out.getvalue() and "\x1b" not in out.getvalue()


def test_lines_are_rare() -> None:
    """However fast answers come, the log is not flooded; the last line comes in any case."""
    out = io.StringIO()
    with Progress("Asking", total=500, stream=out) as shown:
        for _ in range(500):
            shown.add({"score": 1.0, "correct": True})
    assert len(out.getvalue().splitlines()) == 1


def test_a_bar_in_a_terminal() -> None:
    """With the accuracy so far."""
    out = Terminal()
    with Progress("Asking", total=2, stream=out) as shown:
        shown.add({"score": 1.0, "correct": True})
    assert "Asking" in out.getvalue() and "\r" in out.getvalue()
    assert "accuracy 1.000" in out.getvalue()


def test_nothing_to_do_says_nothing() -> None:
    """A run whose answers are all there already prints no line."""
    out = io.StringIO()
    with Progress("Asking", total=1, done=[{"score": 1.0, "correct": True}], stream=out):
        pass
    assert out.getvalue() == ""
