"""rgenv/tasks/answers/lists.py: a list has one reading, whatever its form."""

import pytest

from rgenv.tasks.answers.kind import Answer
from rgenv.tasks.answers.lists import (
    BracketedNumbers,
    Counts,
    Numbers,
    QuotedNumbers,
    Words,
    items,
    word,
)
from rgenv.tasks.answers.notation import item_number

LISTS = [
    '["a", "b"]',
    "['a','b']",
    "[a, b]",
    "(a, b)",
    "a\r\nb\r\n",
    "1. a\n2. b",
    "- a\n- b",
    "a,b",
    "a, b,",
    "a,\nb,",
    "a; b",
    "a  b",
    "a\tb",
    "a → b",
    "a -> b",
]


@pytest.mark.parametrize("text", LISTS)
def test_a_list_is_read_in_every_form(text: str) -> None:
    """Brackets, quotes, separators, lines, numbers and bullets do not change the items."""
    assert items(text.replace("a", "Z_é0"), word) == ["Z_é0", "b"]
    assert items(text.replace("a", "-1.5").replace("b", "20"), item_number) == ["-1.5", "20"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1, 2 3",
        "1,,2",
        "1, 2,,",
        ", 1, 2",
        "[1, 2",
        "1, 2]",
        "[[1, 2]]",
        "{1, 2}",
        "1 and 2",
        "1, 2 or 3",
        "'1', 2",
        "'1' and '2'",
        "1, 2\n3, 4",
        "1. 5",
        "- 5",
        "The list is 1, 2",
        "1, 2\n\n1, 2",
    ],
)
def test_texts_with_several_readings_or_none_are_no_lists(text: str) -> None:
    """Prose, mixed separators, open brackets and missing items are refused."""
    assert items(text, item_number) is None


def test_only_brackets_make_an_empty_list() -> None:
    assert items("[ ]", item_number) == []
    assert items(" ", item_number) is None


@pytest.mark.parametrize(
    ("kind", "reference", "text", "form"),
    [
        (BracketedNumbers(), "[33, 97]", "33,97", "[33, 97]"),
        (QuotedNumbers(), "['55.0', '-2']", "[55, -2.0]", "['55.0', '-2']"),
        (QuotedNumbers(), "['1.50']", '["1.5"]', "['1.50']"),
        (QuotedNumbers(), "['-1', '-1.0']", "['−1', '−1.0']", "['-1', '-1.0']"),
        (Counts("[A]", "{A}", "(A)"), "", "1 [A] 0 {A} 3 (A)", "1 0 3"),
        (Words(), "", "Let callers", "Let, callers"),
        (Numbers(), "", "[i for i in range(9)]", None),
    ],
)
def test_lists_are_written_as_the_library_does(
    kind: Answer, reference: str, text: str, form: str | None
) -> None:
    assert kind.read(text, {"answer": reference}) == form


COUNTED = """
Z=6, A=0, B=1, C=2, X=3, Y=4
0 machine A, 1 machine B, 2 machine C, 3 part X, 4 part Y, and 6 part Z.
machine A: 0, machine B: 1, machine C: 2, part X: 3, part Y: 4, part Z: 6
0 A 1 B 2 C 3 X 4 Y 6 Z
"""


def test_each_number_has_its_label() -> None:
    """Before it or behind it, in any order; all have to be there, and none twice."""
    counts = Counts("A", "B", "C", "X", "Y", "Z")
    assert {counts.read(text, {}) for text in COUNTED.strip().splitlines()} == {"0 1 2 3 4 6"}
    for text in ("A=0, B=1", "0 A 1 B 2 C 3 X 4 Y 6 Y", "A 0, B 1, C 2, X 3, Y 4, Z 6"):
        assert counts.read(text, {}) is None
    assert counts.read("machine A=0, A=0, B=1, C=2, X=3, Y=4, Z=6", {}) is None
