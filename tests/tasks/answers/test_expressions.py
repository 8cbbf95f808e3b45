"""rgenv/tasks/answers/expressions.py: signs of operations have several spellings."""

import pytest

from rgenv.tasks.answers.expressions import Antiderivative, Arithmetic, Expression
from rgenv.tasks.answers.kind import Answer


@pytest.mark.parametrize(
    ("kind", "text", "form"),
    [
        (Expression(), "3·x^2 − 2", "3*x**2 - 2"),
        (Expression(), "7x³ + 2²·y¹²", "7x**3 + 2**2*y**12"),
        (
            Expression(),
            "\\frac{3}{4}*x^{2} + \\dfrac{1}{\\frac{y}{2}}",
            "((3)/(4))*x**(2) + ((1)/(((y)/(2))))",
        ),
        (Expression(), "\\frac{3}{4", "\\frac{3}{4"),
        (Antiderivative(), "\\sin^{2}\\left(x\\right) + \\sqrt{x}", "(sin(x)**(2)) + sqrt(x)"),
        (Antiderivative(), "cos^3(2*(x + 1))/6", "(cos(2*(x + 1))**3)/6"),
        (Antiderivative(), "sin²(cos**2(x))*cos**4 (x)", "(sin((cos(x)**2))**2)*(cos(x)**4)"),
        (Antiderivative(), "sin**2(x", "sin**2(x"),
        (Antiderivative(), "sin**x(x) + x**2(x)", "sin**x(x) + x**2(x)"),
        (Antiderivative(), "\\ln|x - 1| + ln(|x|)", "log(x - 1) + log((x))"),
        (Antiderivative(), "3*√(x + 2)", "3*sqrt(x + 2)"),
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
