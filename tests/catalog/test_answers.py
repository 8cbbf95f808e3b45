"""rgenv/catalog/answers.py: what a user typed, as it is scored."""

import io
from types import SimpleNamespace

import pytest

from rgenv.catalog import answers
from rgenv.errors import BadUsage


@pytest.mark.parametrize(
    ("text", "is_whole", "extracted"),
    [
        ("4", False, "4"),
        ("  -x**2\n", False, "-x**2"),
        ("so it is 4", False, "so it is 4"),
        ("", False, ""),
        ("a < b > c", False, "a < b > c"),
        ("<answer>4</answer>", True, "4"),
        ("<think>5?</think>So <ANSWER> 4 </ANSWER>.", True, "4"),
        ("5?</think>4", True, None),
        ("<think>4", True, None),
        ("<answer>4", True, None),
        ("<answer>4</answer><answer>5</answer>", True, None),
        ("<think><answer>4</answer></think>4", True, None),
    ],
)
def test_tags_make_a_completion(text: str, is_whole: bool, extracted: str | None) -> None:
    """A text with a think or answer tag is a completion; another one is an answer."""
    given = answers.read(text)
    assert (given.is_whole, given.extracted) == (is_whole, extracted)
    assert (given.completion == text) == is_whole


class Terminal(io.BytesIO):
    """A standard input of bytes that is a terminal."""

    def isatty(self) -> bool:
        return True


def test_the_standard_input_is_read(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A hyphen stands for the standard input, whatever its bytes; at a terminal, a line says so."""
    typed = Terminal(b"4\xff\x00\n")
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=typed, isatty=typed.isatty))
    assert answers.read("-").extracted == "4\ufffd\x00"
    assert "Ctrl-D" in capsys.readouterr().err


def test_an_endless_input_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """More than 16 MiB are not read into memory."""
    endless = SimpleNamespace(buffer=SimpleNamespace(read=bytes), isatty=lambda: False)
    monkeypatch.setattr("sys.stdin", endless)
    with pytest.raises(BadUsage, match="more than 16 MiB"):
        answers.read("-")
