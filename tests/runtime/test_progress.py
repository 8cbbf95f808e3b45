"""Tests of rgenv/runtime/progress.py."""

import io

import pytest

from rgenv.runtime import progress
from rgenv.runtime.progress import Progress


@pytest.fixture
def every_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.0)


def test_rate_and_time_left_count_only_this_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three of ten in 30 seconds leave 20; what was done before, and the first, don't count."""
    now = 1000.0
    monkeypatch.setattr(progress.time, "monotonic", lambda: now)
    out = io.StringIO()
    with Progress("Learning", total=10, unit="steps", initial=4, stream=out) as shown:
        now += 3000
        shown.advance()
        now += 30
        shown.advance(3)
        now += 570
    first, line, last = out.getvalue().splitlines()
    assert first == "Learning: 5/10 steps"
    assert line == "Learning: 8/10 steps, 0.100/s, 00:20 left"
    assert last == "Learning: 8/10 steps, 0.001/s, took 1:00:00"


@pytest.mark.usefixtures("every_line")
def test_in_a_terminal_the_line_is_written_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """It fits the terminal, and only the last state ends with a line break."""
    out = io.StringIO()
    monkeypatch.setattr(out, "isatty", lambda: True)
    with Progress("Asking", total=2, unit="samples", stream=out) as shown:
        shown.advance(note="accuracy 1.000")
        shown.show("no answer yet " + "…" * 500)
    first, second, last = out.getvalue().split("\r")[1:]
    assert first.startswith("Asking: 1/2 samples, accuracy 1.000") and "\n" not in first + second
    assert len(second) < 500 and last.endswith("\n")


@pytest.mark.usefixtures("every_line")
def test_a_brief_run_that_took_long_says_how_it_ended() -> None:
    """The last line has the time."""
    out = io.StringIO()
    with Progress("Making", total=2, stream=out, brief=True) as shown:
        shown.advance(2)
    assert "took" in out.getvalue().splitlines()[-1]
