"""rgenv/dialogue/pattern.py: a regular expression as an answer format."""

import pytest

from rgenv.dialogue.pattern import SECONDS, Pattern
from tests.support.timing import processor_seconds


@pytest.mark.parametrize(
    ("expression", "written"),
    [
        (r"#### (.+)", "#### 42"),
        (r"(?i)final result:\s*(.+)", "final result:42"),
        (r"(?:Answer|Result): (\d+(?:\.\d+)?)", "Answer: 42"),
        (r"[Aa]nswer\*{0,2}: (\d{1,3}(?:,\d{3})*)", "Answer: 42"),
        (r"(?s)<<(?P<it>.*)>>", "<<42>>"),
        (r"(?x) The\ answer\ is:? \s* \**(.+?)\**\.?$", "The answer is42"),
        (r"^x([^\n]*)", "x42"),
    ],
)
def test_it_reads_what_it_writes(expression: str, written: str) -> None:
    form = Pattern(expression)
    assert form.write("42") == written
    found = form.find(f"Well, well.\n{written}")
    assert not isinstance(found, str) and f"Well, well.\n{written}"[slice(*found)] == "42"


@pytest.mark.parametrize(
    ("expression", "why"),
    [
        ("boxd", "one group"),
        ("a(b)(c)", "one group"),
        ("a(?:b|(c))", "neither repeated"),
        ("(?i:x(a))", "neither repeated"),
        ("A(b)(?=c)", "without look-arounds"),
        (r"A(b)\1", "without look-arounds"),
        ("(", "not a regular expression"),
        ("x(a{99999999999999})", "not a regular expression"),
        ("x(.)" + "y" * 500, "more than 500"),
        ("x$y(a)", "must match a text"),
        ("x(?:(?:^){60000}){60000}(a)", "repeat so often"),
    ],
)
def test_what_is_no_format_is_refused(expression: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        Pattern(expression)


@pytest.mark.parametrize("expression", [r"x((?:\w+)+)b", r"x(.*?)y.*?z", r"(?s)<<(.*)>>"])
def test_a_text_that_takes_too_long_has_no_answer(expression: str) -> None:
    form = Pattern(expression)
    for text in ("x" + "a" * 50_000, "xy" * 50_000, "<<" * 50_000):
        with processor_seconds(2 * SECONDS):
            found = form.find(text)
        assert found in (form.missing, "answer_format takes too long to read it")
    assert isinstance(form.find(form.write("42")), tuple)
