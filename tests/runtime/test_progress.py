"""Tests of rgenv/runtime/progress.py."""

import io
import re

import pytest

from rgenv.runtime import progress
from rgenv.runtime.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def every_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Print a line at each advance."""
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.0)


@pytest.mark.usefixtures("every_line")
def test_plain_lines_show_count_note_rate_and_time_left() -> None:
    """Without a terminal, lines hold no control characters, and the last one the time taken."""
    out = io.StringIO()
    with Progress("Asking", total=6, unit="samples", initial=1, stream=out) as shown:
        shown.advance(note="accuracy 0.500")
        shown.advance(3)
    first, second, last = out.getvalue().splitlines()
    rate = r"[\d.]+/s"
    assert first == "Asking: 2/6 samples, accuracy 0.500"  # a rate would have the start in it
    assert re.fullmatch(rf"Asking: 5/6 samples, accuracy 0\.500, {rate}, \d\d:\d\d left", second)
    assert re.fullmatch(rf"Asking: 5/6 samples, accuracy 0\.500, {rate}, took \d\d:\d\d", last)
    assert "\r" not in out.getvalue() and "\x1b" not in out.getvalue()


@pytest.mark.usefixtures("every_line")
def test_an_unknown_total_shows_no_time_left() -> None:
    """Several can be counted at a time."""
    out = io.StringIO()
    with Progress("Scoring", unit="groups", stream=out) as shown:
        shown.advance(3)
        shown.advance(2)
    first, second, last = out.getvalue().splitlines()
    assert first == "Scoring: 3 groups" and second == "Scoring: 5 groups"
    assert re.fullmatch(r"Scoring: 5 groups, [\d.]+/s, took 00:00", last)


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
def test_in_a_terminal_the_line_is_written_anew() -> None:
    """It fits the terminal, and only the last state ends with a line break."""
    out = Terminal()
    with Progress("Asking", total=2, unit="samples", stream=out) as shown:
        shown.advance(note="accuracy 1.000")
        shown.show("no answer yet " + "…" * 500)
    first, second, last = out.getvalue().split("\r")[1:]
    assert first.startswith("Asking: 1/2 samples, accuracy 1.000") and "\n" not in first + second
    assert len(second) < 500 and last.endswith("\n")


@pytest.mark.usefixtures("every_line")
def test_a_status_is_shown_although_nothing_was_counted() -> None:
    """The line has no rate."""
    out = io.StringIO()
    with Progress("Asking", total=4, unit="samples", stream=out) as shown:
        shown.show("no answer yet")
    assert out.getvalue() == "Asking: 0/4 samples, no answer yet\n"


@pytest.mark.usefixtures("every_line")
def test_a_brief_run_that_took_long_says_how_it_ended() -> None:
    """The last line has the time."""
    out = io.StringIO()
    with Progress("Making", total=2, stream=out, brief=True) as shown:
        shown.advance(2)
    assert "took" in out.getvalue().splitlines()[-1]
