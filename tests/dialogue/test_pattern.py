"""rgenv/dialogue/pattern.py: a regular expression as an answer format."""

import pytest

from rgenv.dialogue.pattern import Pattern
from tests.support.timing import processor_seconds

GOOD = [
    (r"#### (.+)", "#### 42"),
    (r"(?i)final result:\s*(.+)", "final result:42"),
    (r"^Answer: (.+?)\s*$", "Answer: 42"),
    (r"(?:Answer|Result): (\d+(?:\.\d+)?)", "Answer: 42"),
    (r"[Aa]nswer\*{0,2}: (\d{1,3}(?:,\d{3})*)", "Answer: 42"),
    (r"\[\[(.*?)\]\]", "[[42]]"),
    (r"(?s)<<(?P<it>.*)>>", "<<42>>"),
    (r"(?x) The\ answer\ is:? \s* \**(.+?)\**\.?$", "The answer is42"),
    (r"x([^\n]*)", "x42"),
]


@pytest.mark.parametrize(("expression", "written"), GOOD)
def test_it_reads_what_it_writes(expression: str, written: str) -> None:
    form = Pattern(expression)
    assert form.write("42") == written
    found = form.find(f"Well, well.\n{written}")
    assert not isinstance(found, str) and f"Well, well.\n{written}"[slice(*found)] == "42"


@pytest.mark.parametrize(
    ("expression", "why"),
    [
        ("boxd", "one group"),
        ("", "one group"),
        ("a(b)(c)", "one group"),
        ("(a+)+b", "neither repeated"),
        ("a(?:b|(c))", "neither repeated"),
        ("x((?:a+)+)b", "repeat what is repeated"),
        ("x((?:a*){1,20})b", "repeat what is repeated"),
        ("x(.*?)y.*?z", "one lazy"),
        ("A(b)(?=c)", "without look-arounds"),
        (r"A(b)\1", "without look-arounds"),
        (r"(\d+)$", "begin with a fixed text"),
        ("a?b(c)", "begin with a fixed text"),
        ("(", "no regular expression"),
        ("x(a{99999999999999})", "no regular expression"),
        ("x(.)" + "y" * 500, "more than 500"),
        ("x$y(a)", "must match a text"),
        ("xy{100000000}(a)", "repeat so often"),
        ("x(?:(?:^){60000}){60000}(a)", "repeat so often"),
    ],
)
def test_what_is_no_format_or_might_be_slow_is_refused(expression: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        Pattern(expression)


@pytest.mark.parametrize("expression", [expression for expression, _ in GOOD])
def test_no_text_takes_long(expression: str) -> None:
    """Neither many beginnings, nor a beginning without an end."""
    form = Pattern(expression)
    opening, whole = form.write(""), form.write("1")
    units = [whole, opening, opening[:1], " ", "1", "1.", "1 ", "a", "**", "[[", "\n", "1,111"]
    for unit in units:
        for text in (unit * (100_000 // len(unit)), opening + unit * (100_000 // len(unit)) + "x"):
            with processor_seconds(0.5, unit):
                form.find(text)
