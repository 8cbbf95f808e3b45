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
        (Antiderivative(), "(9*x + 10)^1.5/2.5", "(9*x + 10)**(3/2)/2.5"),
        (Antiderivative(), "x**(-0.5)", "x**(-1/2)"),
    ],
)
def test_formulas_keep_everything_but_the_signs(kind: Answer, text: str, form: str | None) -> None:
    """Powers, products, inverse functions, logarithms of sizes, and powers as decimals."""
    assert kind.read(text, {}) == form
