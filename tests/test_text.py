from pathlib import Path

import pytest

from rgenv.text import describe, failed_call, one_line, refusal, texts


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("too long\n\n by\t3\r\n", "too long by 3"),
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("a\u2028b\x85c\x0bd", "a b c d"),
        ("größer, 大きい", "größer, 大きい"),
        (OSError("away"), "away"),
    ],
)
def test_a_foreign_text_is_one_printable_line(text: object, line: str) -> None:
    assert one_line(text) == line and line.isprintable()
    assert describe(ValueError(text)) == f"ValueError: {line}"


def test_a_foreign_text_has_a_limit() -> None:
    assert one_line("x" * 10**6, 20) == f"{'x' * 19}…"
    assert len(one_line("\x1b" * 1000, 20)) == 20 and len(describe(OSError("x" * 1000))) == 300


def test_texts_are_a_list_of_texts() -> None:
    assert texts(("a", "b")) == texts(iter(["a", "b"])) == ["a", "b"]
    for one in ("text", b"text", None):
        with pytest.raises(TypeError, match=r"a list of texts; for one text, write \[text\]"):
            texts(one)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"completions\[1\] must be a text, not dict"):
        texts(["a", {"role": "assistant"}])  # type: ignore[list-item]


def test_what_the_system_refuses_is_said_in_words(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    attempts = {
        "a file of this name exists": file.mkdir,
        "a part of the path is a file": (file / "inside").mkdir,
        "it is a folder": tmp_path.read_text,
        "No such file or directory": (tmp_path / "missing").read_text,
    }
    for words, attempt in attempts.items():
        with pytest.raises(OSError) as refused:
            attempt()
        assert refusal(refused.value) == words


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (OSError(28, "No space"), "No space: make room and run the command again"),
        (FileExistsError(17, "File exists", "/data/x"), "/data/x: a file of this name exists."),
        (OSError(13, "Permission denied", "/data/x"), "/data/x: Permission denied."),
        (OSError(18, "Cross-device link", "/a", None, "/b"), "/a and /b: Cross-device link."),
        (OSError("the server hung up"), "the server hung up"),
        (TimeoutError(), "TimeoutError"),
    ],
)
def test_what_the_system_refused_has_its_path(error: OSError, sentence: str) -> None:
    assert failed_call(error) == sentence
