"""rgenv/tasks/answers/kind.py: answers take the form that the library writes."""

import pytest

from rgenv.tasks.answers import TEXT, Answer, canonical
from rgenv.tasks.answers.lists import Numbers
from rgenv.tasks.answers.numbers import Number
from rgenv.tasks.answers.texts import Text
from rgenv.tasks.answers.words import Choice


@pytest.mark.parametrize(
    ("kind", "answer", "text", "form"),
    [
        (Number(), "1134", "**1,134**", "1134"),
        (Number(), "1134", "1135.0", "1135"),
        (Number(), "1134", "about 1134", "about 1134"),
        (Choice("Yes", "No"), "Yes", "$\\text{yes}$", "Yes"),
        (Text(), "A b", '"A b"', "A b"),
        (TEXT, "`x`", "`x`", "`x`"),
        (Numbers(), "1 2", "`[1, 2]`", "1 2"),
        (Numbers(), "1 2", "range(9)", "range(9)"),
        (Numbers(must_be_read=True), "1 2", "range(9)", ""),
        (Numbers(must_be_read=True), "1 2", "1 " * Answer.longest, ""),
    ],
)
def test_canonical_writes_what_the_library_writes(
    kind: Answer, answer: str, text: str, form: str
) -> None:
    """A readable answer takes the library's form; any other text stays, or is nothing at all."""
    assert canonical(kind, text, {"answer": answer, "question": "", "metadata": {}}) == form
