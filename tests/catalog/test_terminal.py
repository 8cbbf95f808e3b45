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
