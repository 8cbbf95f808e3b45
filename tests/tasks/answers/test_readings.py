"""Readers of answers: a value has one reading in all its notations, and other texts have none.

A line of data/readings.jsonl has the texts that a reader reads as one value, with the reference
answer where it matters; null: it refuses them. The tests below draw values and notations at random.
"""

import itertools
import json
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rgenv.tasks import Text
from rgenv.tasks.answers import TEXT, canonical, expressions, grids, lists
from rgenv.tasks.answers.fractions import read_fraction
from rgenv.tasks.answers.lines import lines
from rgenv.tasks.answers.mappings import pairs
from rgenv.tasks.answers.notation import (
    Numeral,
    agrees,
    item_number,
    place_value,
    plain,
    read_number,
)
from rgenv.tasks.answers.numbers import DEGREES, Number
from rgenv.tasks.answers.values import MISSING, read_value
from rgenv.tasks.answers.wrappers import unwrap
from tests.support.paths import DATA
from tests.support.timing import processor_seconds

ROWS = [json.loads(line) for line in (DATA / "readings.jsonl").read_text("utf-8").splitlines()]


def number_shown(text: str) -> Any:
    """Return a number, the place value of its last digit, and the number of its digits."""
    number = read_number(text)
    return number and [str(number.value), str(number.step), number.digits]


READERS: dict[str, Callable[[str], Any]] = {
    "JSON value": read_value,
    "digits to digits": lambda text: pairs(text, "[0-9]", "[0-9]"),
    "fraction": read_fraction,
    "grid of digits": lambda text: grids.rows(text, grids.digit, single=True),
    "grid of numbers": lambda text: grids.rows(text, item_number),
    "has no wrapper": lambda text: unwrap(text) == text,
    "has plain lines": lambda text: lines(text) == text.splitlines(),
    "letters to digits": lambda text: pairs(text, "[A-Z]", "[0-9]"),
    "lines with colons": lambda text: lines(text, colons=False),
    "list of numbers": lambda text: lists.items(text, item_number),
    "list of words": lambda text: lists.items(text, lists.word),
    "no JSON value": lambda text: read_value(text) is MISSING,
    "number": number_shown,
    "number in a list": item_number,
    "unwrapped": unwrap,
}
KINDS_OF_ANSWERS = {
    "Antiderivative": expressions.Antiderivative(),
    "Arithmetic": expressions.Arithmetic(),
    "BracketedNumbers": lists.BracketedNumbers(),
    "Counts of brackets": lists.Counts("[A]", "{A}", "(A)"),
    "Counts of machines": lists.Counts("A", "B", "C", "X", "Y", "Z"),
    "Expression": expressions.Expression(),
    "Grid": grids.Grid(),
    "Grid of 0 and 1": grids.Grid("[01]"),
    "Groups": grids.Groups(),
    "Matrix": grids.Matrix(),
    "NumberGrid": grids.NumberGrid(),
    "Numbers": lists.Numbers(),
    "QuotedNumbers": lists.QuotedNumbers(),
    "Words": lists.Words(),
    "degrees": Number(DEGREES),
    "plain number": Number(),
    "prime numbers": Number("primes?|prime numbers?"),
}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["reader"])
def test_texts_have_one_reading_or_none(row: dict[str, Any]) -> None:
    name, entry = row["reader"], {"answer": row.get("answer", "")}
    for text in row["texts"]:
        if name == "text":
            found = canonical(TEXT, text, entry)
        elif name in READERS:
            found = READERS[name](text)
        else:
            found = KINDS_OF_ANSWERS[name].read(text, entry)
        assert found == row["value"], text


# Numbers


@pytest.mark.parametrize("reference", ["47 visitors", "47,000", "47", "47.0"])
def test_the_reference_of_a_user_may_have_a_unit(reference: str) -> None:
    kind, number = Number("visitors?"), reference.split()[0]
    forms = (number, f"{number} Visitors", f"\\boxed{{{number}}}", number.replace(",", ""))
    assert {canonical(kind, form, {"answer": reference}) for form in forms} == {reference}
    assert canonical(kind, "48 visitors", {"answer": reference}) == "48"


@given(st.integers(-(10**30), 10**30), st.sampled_from([",", "{,}", "\\,", "\u202f"]))
def test_an_integer_has_many_forms(number: int, separator: str) -> None:
    forms = [f"{number}", f"{number:,}".replace(",", separator), f"{number}.0", f"{number}e0"]
    forms += [f" {number} ", f"{10 * number}e-1", f"{number}.00 × 10^0", f"{number} * 10**{{0}}"]
    forms += [f"−{-number}"] if number < 0 else [f"+{number}"]
    read = [read_number(form) for form in forms]
    assert {numeral and numeral.value for numeral in read} == {Fraction(number)}


@given(st.fractions(min_value=Fraction(1, 10**6), max_value=10**6), st.integers(3, 9))
def test_a_number_agrees_with_its_rounding_only(right: Fraction, digits: int) -> None:
    assert place_value(right, 1) <= right < 10 * place_value(right, 1)
    unit = place_value(right, digits)
    rounded = round(right / unit) * unit
    number = read_number(plain(rounded))
    assert number is not None and agrees(number, right, place_value(right, 3))
    for other in (rounded + unit, rounded - unit):
        assert read_number(plain(other)) is not None
        close = agrees(Numeral(other, unit, digits), right, place_value(right, 3))
        assert not close or abs(other - right) == unit / 2


# Lines

LINES = st.lists(st.text("abc ", min_size=1).map(str.strip).filter(bool), min_size=2)
BULLETS = ["{}", "{}.", "  {} ", "- {}", "* {};", "• {}"]
NUMBERED = [
    *("{}. {}", "{}) {}", "{}:  {}", "({}) {}", "{}.) {}", "({}): {}", "{}：{}"),
    *("**{}.** {}", "**{}**. {}", "**({})** {}", "(**{}**) {}", "__{})__ {}"),
    *("Step {}: {}", "step {}. {}", "**Step {}:** {}", "**Step {}**: {}"),
]


@given(LINES, st.sampled_from(BULLETS), st.sampled_from(NUMBERED), st.integers(0, 1))
def test_lines_keep_what_they_say(words: list[str], bullet: str, form: str, first: int) -> None:
    assert lines("\n\n".join(map(bullet.format, words))) == words
    assert lines("\r\n".join(form.format(n, word) for n, word in enumerate(words, first))) == words


WRAPPERS = [
    *("\\boxed{%s}", "\\boxed {%s}", "\\text{%s}", "\\mathbf{%s}", "$%s$", "$$%s$$", "\\(%s\\)"),
    *("\\[%s\\]", "\\[\n%s\n\\]", "```%s```", "```\n%s\n```", "```json\n%s\n```"),
    *("```python\r\n%s\r\n```", "**%s**", "*%s*", "`%s`", '"%s"', "'%s'", "“%s”", "‘%s’"),
    *("%s.", "%s。", "  **%s** \n", "**`%s`**.", "$\\text{%s}$", "***%s***"),
]


@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize("text", ["42", "x**2 + 1", "[1, 2]", "a b"])
def test_wrappers_come_off(wrapper: str, text: str) -> None:
    if "*" not in text or wrapper != "*%s*":
        assert unwrap(wrapper % text) == text


def test_quotes_around_values_with_quotes_come_off() -> None:
    quotes = ['"%s"', '"%s".', '**"%s"**', '"**%s**"', "`%s`", "$\\text{%s}$"]
    values = ['{"a": "b"}', '[["a"], ["b"]]', "{'a': `b`}"]
    for wrapper, value in itertools.product(quotes, values):
        assert unwrap(wrapper % value) == value
        assert unwrap(f'"{value}", "{value}"') == f'"{value}", "{value}"'


@pytest.mark.parametrize("piece", ["`", "$", "*", "\\boxed{", "{", "}", "```\n", '"', ".", "\\("])
def test_long_texts_are_read_quickly(piece: str) -> None:
    text = piece * (100_000 // len(piece))
    with processor_seconds(0.5):
        for whole in (text, f"\\boxed{{{text}}}", f"```{text}```", f"**{text}**"):
            unwrap(whole)


# To the letter

FORMS: dict[str, str] = {
    "-": "\\boxed{-} \\(-\\) $\\text{-}$ \\boxed{-}.|-. -。 \"-\" '-' `-` *-* **-** $-$",
    "“”": "\\boxed{“”}|““”” ”“ “”。",
    "x.o\n.xo": "`x.o\n.xo`|x.o\n.xo.",
    "x.": '**x.** `x.`. "x.".|x.. x',
    "a.b": "**a.b** 'a.b'|a.b.",
    "*a*": "`*a*`|**a** *a**",
    "'a'": "`'a'` \"'a'\"|''a'' a",
    'x"y': '**x"y** x"y.|"x"y"',
    "it's": "'it's' it's.|it''s",
    "$5": '**$5**. $5. "$5" \\($5\\) \\boxed{\\$5}|5 $5$ $$5$$',
    "$5.00": "$5.00. *$5.00*|5.00",
    "32%": "**32%**. $32%$ 32%。 \\boxed{32\\%}|32 %",
    "x^2": "$x^2$ $$x^2$$. **$x^2$**.|x^2^",
    "2*[a+b]": "**2*[a+b]** **2*[a+b]**.|*2*[a+b]*",
    "x**2+1": "**x**2+1** `x**2+1`.|*x**2+1*",
    "Yes": '"Yes". “Yes” \'Yes\' *Yes*.|Yes.. "Yes',
    "→": '**→** →. "→" $→$|←',
    "👨‍👩": "\u200b👨‍👩\ufeff **👨‍👩**|👨👩",
}
"""Reference answer -> texts that are it, and texts that are another one."""


@pytest.mark.parametrize("reference", FORMS)
def test_marks_of_an_answer_to_the_letter_stay(reference: str) -> None:
    right, wrong = (texts.split(" ") for texts in FORMS[reference].split("|"))
    for text in right:
        assert canonical(TEXT, text, {"answer": reference}) == reference, text
    for text in wrong:
        assert canonical(TEXT, text, {"answer": reference}) != reference, text


def test_sentences_to_the_letter_end_with_a_full_stop() -> None:
    for text in ("It fell by 3%. It rose", 'He said "no". I left', "J. K. Rowling", "你好。再见"):
        for form in ("%s.", "**%s**", "**%s**.", "`%s`"):
            assert canonical(TEXT, form % text, {"answer": text}) == text


def test_without_a_reference_answer_signs_stay() -> None:
    assert canonical(Text(), "a@b.org.", {"answer": "a@b.org"}) == "a@b.org"
    for text, read in {"#.#.": "#.#.", "**42**.": "42", '"xo".': "xo", "x.o.": "x.o."}.items():
        assert canonical(TEXT, text, {"answer": None}) == read
