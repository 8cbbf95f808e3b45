"""rgenv/catalog/problems.py: what a user typed, and problems and verdicts as text."""

import io
from types import SimpleNamespace

import pytest

from rgenv.catalog.problems import problem_text, read_answer, verdict_text
from rgenv.dialogue.reading import READING
from rgenv.errors import BadUsage
from rgenv.types import Problem, Verdict

HOSTILE = "\x1b]0;title\x07\x9b31m\u202e'$(id)`id`\r\x00\ud800"
PROBLEM = Problem("gcd", 7, 0.5, {"n": HOSTILE}, f"\nLine 1\n  line 2 {HOSTILE}\n", f"4\n{HOSTILE}")


@pytest.mark.parametrize(
    ("text", "is_whole", "extracted"),
    [
        ("4", False, "4"),
        ("  -x**2\n", False, "-x**2"),
        ("", False, ""),
        ("a < b > c", False, "a < b > c"),
        ("<answer>4</answer>", True, "4"),
        ("<think>5?</think>So <ANSWER> 4 </ANSWER>.", True, "4"),
        ("5?</think>4", True, None),
        ("<answer>4", True, None),
    ],
)
def test_tags_make_a_completion(text: str, is_whole: bool, extracted: str | None) -> None:
    given = read_answer(text, READING)
    assert (given.is_whole, given.extracted) == (is_whole, extracted)
    assert (given.completion == text) == is_whole


def test_the_standard_input_is_read(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A hyphen stands for the standard input, whatever its bytes; at a terminal, a line says so."""
    terminal = SimpleNamespace(buffer=io.BytesIO(b"4\xff\x00\n"), isatty=lambda: True)
    monkeypatch.setattr("sys.stdin", terminal)
    assert read_answer("-", READING).extracted == "4\ufffd\x00"
    assert "Ctrl-D" in capsys.readouterr().err


def test_an_endless_input_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """More than 16 MiB are not read into memory."""
    endless = SimpleNamespace(buffer=SimpleNamespace(read=bytes), isatty=lambda: False)
    monkeypatch.setattr("sys.stdin", endless)
    with pytest.raises(BadUsage, match="more than 16 MiB"):
        read_answer("-", READING)


def test_no_text_reaches_the_terminal_as_a_command() -> None:
    """Lines and blanks stay; what a terminal would obey is escaped, in every part."""
    given, verdict = read_answer(HOSTILE, READING), Verdict(0.0, "error", detail=HOSTILE)
    for text in (problem_text(PROBLEM), verdict_text(given, verdict)):
        assert all(one.isprintable() or one == "\n" for one in text)
        assert "\\x1b]0;title\\x07" in text
    assert "Line 1\n  line 2 " in problem_text(PROBLEM)
