"""rgenv/tasks/answers/wrappers.py: wrappers come off, and nothing else."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rgenv.tasks.answers import TEXT, canonical
from rgenv.tasks.answers.wrappers import unwrap
from tests.support.timing import processor_seconds

WRAPPERS = [
    "\\boxed{%s}",
    "\\boxed {%s}",
    "\\text{%s}",
    "\\mathbf{%s}",
    "$%s$",
    "$$%s$$",
    "\\(%s\\)",
    "\\[%s\\]",
    "\\[\n%s\n\\]",
    "```%s```",
    "```\n%s\n```",
    "```json\n%s\n```",
    "```python\r\n%s\r\n```",
    "**%s**",
    "*%s*",
    "`%s`",
    '"%s"',
    "'%s'",
    "“%s”",
    "‘%s’",
    "%s.",
    "%s。",
    "  **%s** \n",
]
PLAIN = st.text("abz019 -+*/=()[]{},:\n", min_size=1).filter(
    lambda text: (
        text == text.strip() and text[0] != "*" and not any(s in text for s in ("**", "{", "}"))
    )
)


@settings(max_examples=500)
@given(st.sampled_from(WRAPPERS), PLAIN)
def test_one_wrapper_comes_off(wrapper: str, text: str) -> None:
    assert unwrap(text) == text
    a_language = wrapper == "```%s```" and "\n" in text
    a_product = "*" in text and wrapper == "*%s*"
    if not (text.startswith("*") or text.endswith("*") or a_language or a_product):
        assert unwrap(wrapper % text) == text


@pytest.mark.parametrize("power", ["x**2 + 1", "-4*exp(x)**-2", "(x - 1)**(3/2) + C", "C + 5*x**4"])
def test_powers_in_bold_are_no_bold(power: str) -> None:
    """The sign of a power between two operands does not end the bold type around it."""
    assert unwrap(f"**{power}**") == power
    assert unwrap(f"**{power}** or **{power}**") == f"**{power}** or **{power}**"


def test_wrappers_in_wrappers_come_off() -> None:
    """Two layers of decoration say no more than one; a doubled sign may be another one."""
    for outer, inner in itertools.product(WRAPPERS, WRAPPERS):
        size = 2 if outer.startswith("\\") else 1
        if "{" in outer or outer.strip()[:size] != inner.strip()[:size]:
            assert unwrap(outer % inner % "42") == "42", outer % inner


@pytest.mark.parametrize(
    "wrapper", ['"%s"', '"%s".', '**"%s"**', '"**%s**"', "`%s`", "$\\text{%s}$"]
)
@pytest.mark.parametrize("value", ['{"a": "b"}', '[["a"], ["b"]]', "{'a': `b`}"])
def test_quotes_around_values_with_quotes_come_off(wrapper: str, value: str) -> None:
    """Whatever quotes are inside of its brackets, one value is one piece; two are not."""
    assert unwrap(wrapper % value) == value
    assert unwrap(f'"{value}", "{value}"') == f'"{value}", "{value}"'


def test_an_answer_in_countless_wrappers_stays_in_some() -> None:
    """Nobody writes nine; a reader of all would take the square of their number."""
    assert unwrap("\\boxed{" * 9 + "1" + "}" * 9) == "\\boxed{1}"


@pytest.mark.parametrize(
    "text",
    [
        "The answer is 42",
        "**Answer:** 42",
        "42 **or** 43",
        "**42** or **43**",
        '"a", "b"',
        "`a` `b`",
        "$1$ + $2$",
        "\\(1\\) \\(2\\)",
        "```\n1\n```\n```\n2\n```",
        "\\boxed{1}, \\boxed{2}",
        "\\boxed{1} {2}",
        "$1,288",
        "**",
        "****",
        "$$",
        '"',
        "...",
        "and so on...",
        ".",
        "",
        " ",
        "  1 2\n  3 4",
    ],
)
def test_what_is_not_a_wrapper_stays(text: str) -> None:
    """Prose around a wrapper, several wrappers and lone signs stay as they are."""
    assert unwrap(text) == text


@pytest.mark.parametrize("reference", ['"a b"', "A is a knight.", "`x`", "'q'"])
def test_a_wrapper_of_the_reference_answer_stays(reference: str) -> None:
    """A wrapper is part of the answer if the reference answer has it, and others come off."""
    assert unwrap(reference, reference) == reference
    assert unwrap(f"**{reference}**", reference) == reference
    assert unwrap(f"**{reference}**.", reference) == reference
    assert unwrap(f"$\\boxed{{{reference}}}$.", reference) == reference


def test_a_fence_keeps_the_spaces_of_its_lines() -> None:
    """The first line of a grid may start with spaces."""
    assert unwrap("```\n   2\n 1  \n```") == "   2\n 1  "


def test_a_fence_with_one_word_holds_that_word() -> None:
    """A word behind the opening fence is a language only if something follows it."""
    assert unwrap("```yes\n```") == "yes"
    assert unwrap("```text\nyes\n```") == "yes"


@pytest.mark.parametrize("piece", ["`", "$", "*", "\\boxed{", "{", "}", "```\n", '"', ".", "\\("])
def test_long_texts_are_read_quickly(piece: str) -> None:
    """A text of 100 kB takes milliseconds."""
    text = piece * (100_000 // len(piece))
    with processor_seconds(0.5):
        for whole in (text, f"\\boxed{{{text}}}", f"```{text}```", f"**{text}**"):
            unwrap(whole)


def test_full_stops_at_the_end_of_each_line_are_no_wrapper() -> None:
    assert unwrap("\\boxed{a.\nb.}") == "a.\nb."
    assert unwrap("a.\nb.") == "a.\nb."
    assert unwrap("a\nb.") == "a\nb"


@pytest.mark.parametrize(
    ("reference", "text", "form"),
    [
        ("12", "\u200b12\u2060\ufeff", "12"),
        ("12", "1\u200b2", "12"),
        ("12", "\u202e12", "\u202e12"),  # shown as 21
        ("12", "\u200b", "\u200b"),
        ("a\u200db", "ab", "ab"),
    ],
)
def test_invisible_characters_count_only_in_a_reference(
    reference: str, text: str, form: str
) -> None:
    assert canonical(TEXT, text, {"answer": reference}) == form
