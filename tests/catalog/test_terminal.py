"""rgenv/catalog/terminal.py: width and emphasis."""

import io

import pytest

from rgenv.catalog.terminal import Layout, layout_of


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        return True


def test_only_a_terminal_has_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe has neither width nor emphasis, nor has NO_COLOR or a dumb terminal emphasis."""
    monkeypatch.setenv("COLUMNS", "70")
    assert layout_of(io.StringIO(), {}) == Layout()
    assert layout_of(Terminal(), {}) == Layout(70, True)
    assert layout_of(Terminal(), {"NO_COLOR": "1"}) == Layout(70)
    assert layout_of(Terminal(), {"TERM": "dumb"}) == Layout(70)
    assert Layout(70).bold("x") == "x" and Layout(70, True).bold("x") == "\x1b[1mx\x1b[0m"


def test_lines_hang_below_the_text() -> None:
    """Further lines begin where the text began; without a width there is one line."""
    text = "word " * 30
    lines = Layout(60).hanging("head  ", text).splitlines()
    assert all(len(line) <= 60 for line in lines)
    assert {line[:6] for line in lines[1:]} == {" " * 6} and lines[0].startswith("head  word")
    assert Layout().hanging("head  ", text) == f"head  {text}".rstrip()
    assert Layout(60).hanging("head  ", "") == "head"


def test_a_narrow_terminal_still_shows_the_text() -> None:
    """Below sixty columns lines are broken by the terminal."""
    assert len(Layout(10).hanging("x" * 50, "some words").splitlines()) == 1
