"""rgenv/tasks/answers/expressions.py: signs of operations have several spellings."""

import pytest

from rgenv.tasks.answers.expressions import Antiderivative, Arithmetic, Expression
from rgenv.tasks.answers.kind import Answer


@pytest.mark.parametrize(
    ("kind", "text", "form"),
    [
        (Expression(), "3·x^2 − 2", "3*x**2 - 2"),
        (Antiderivative(), "x^{2}", "x**{2}"),
        (Arithmetic(), "8 ÷ (3 − 8 ÷ 3)", "8 / (3 - 8 / 3)"),
        (Arithmetic(), "3 \\times 4 \\div 2", "3 * 4 / 2"),
        (Antiderivative(), "x*arcsin(2*x) + arctan(x)", "x*asin(2*x) + atan(x)"),
        (Antiderivative(), "x*ln(Abs((x + 1)*2)) - 3", "x*log(((x + 1)*2)) - 3"),
        (Antiderivative(), "log(abs(x) + 1)", "log(abs(x) + 1)"),
        (Antiderivative(), "log(abs(x", "log(abs(x"),
    ],
)
def test_formulas_keep_everything_but_the_signs(kind: Answer, text: str, form: str | None) -> None:
    """Powers, products, inverse functions, and logarithms of sizes."""
    assert kind.read(text, {}) == form
