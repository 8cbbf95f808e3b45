"""rgenv/worker/values/expressions: signs of operations have several spellings."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rgenv.worker.values.expressions import KINDS, antiderivative


def read(task: str, text: str, answer: str = "", **metadata: Any) -> str | None:
    return KINDS[task](text, {"answer": answer, "question": "", "metadata": metadata})


@given(st.integers(-(10**18), 10**18), st.integers(-(10**18), 10**18))
def test_a_complex_number_has_many_forms(real: int, imaginary: int) -> None:
    """The order of the parts, i or j, a product sign and zeros say nothing."""
    sign, size = ("-" if imaginary < 0 else "+"), abs(imaginary)
    answer = f"{real}.0 {sign} {size}.0i"
    forms = [f"{real}{sign}{size}j", f"{real} {sign} {size}*i", f"{imaginary}i {real:+}"]
    forms += [f"({real:,} {sign} {size:,}i)", f"{real}.00{sign}{size}.00I"]
    forms += [f"{real}"] if imaginary == 0 else []
    forms += [f"{imaginary}i"] if real == 0 and imaginary else []
    for form in forms:
        assert (read("complex_arithmetic", form, answer) == answer) == (
            "-0" not in form.split("i")[0]
        )
    for wrong in (f"{real + 1} {sign} {size}i", f"{real} {sign} {size + 1}i"):
        assert read("complex_arithmetic", wrong, answer) != answer


@pytest.mark.parametrize(
    "text",
    ["nan", "n a n", "3 5i", "3i + 4i", "3 + 4", "3 +- 4i", "3 + i4", "i i", "", "3,4", "((3))"],
)
def test_what_is_no_complex_number_is_not_read(text: str) -> None:
    """Two equal parts, two signs and two numbers side by side are not one complex number."""
    assert read("complex_arithmetic", text, "3.0 + 4.0i") is None


@pytest.mark.parametrize(
    "text",
    ["2^2 × 5", "2**2*5", "2x2x5", "2 X 2 X 5", "2^{2} \\times 5", "2² · 5", "2 \\cdot 2 \\cdot 5"],
)
def test_factors_have_several_signs(text: str) -> None:
    """Powers are written out, and all signs of a product become one."""
    assert read("prime_factorization", text) == "2 × 2 × 5"


@pytest.mark.parametrize(
    "text",
    [
        "2 2 5",
        "2, 2, 5",
        "2^999 × 5",
        "2^0 × 5",
        "2^^2",
        "2 ×",
        "2^2^2",
        "-2 × -2",
        "٢ × ٥",
        "2^-1",
    ],
)
def test_other_lists_are_no_factors(text: str) -> None:
    """Other separators, powers that are huge or zero, and signs are not read."""
    assert read("prime_factorization", text) is None


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("v = 0.5, v = -2.25", "0.5, -2.25"),
        ("v = 0.5, -2.25", "0.5, -2.25"),
        ("[0.50, −2.25]", "0.5, -2.25"),
        ("0.5\n-2.25", "0.5, -2.25"),
        ("x = 0.5", None),
        ("0.5 or -2.25", None),
        ("0.5, , -2.25", None),
        ("0.5; -2.25", None),
        ("nan", None),
    ],
)
def test_roots_are_numbers_with_or_without_the_name(text: str, form: str | None) -> None:
    """Each root may be an equation for the unknown that the question names."""
    assert read("polynomial_equations", text, variable="v") == form


@pytest.mark.parametrize(
    "text",
    [
        "(P & ~Q) -> (R | S)",
        "(P && !Q) => (R || S)",
        "(P and not Q) implies (R OR S)",
        "(P \\land \\lnot Q) \\to (R \\lor S)",
        "(P \\wedge \\neg Q) \\rightarrow (R \\vee S)",
        "(P /\\ ~Q) ⇒ (R \\/ S)",
    ],
)
def test_connectives_have_several_spellings(text: str) -> None:
    """ASCII, LaTeX and words stand for the signs of the question."""
    form = read("propositional_logic", text)
    assert form is not None and "".join(form.split()) == "(P∧¬Q)→(R∨S)"


def test_equivalences_are_not_read_as_implications() -> None:
    """The longest spelling counts, and unknown words stay."""
    assert read("propositional_logic", "P <-> Q <=> R") == "P ↔ Q ↔ R"
    assert read("propositional_logic", "P \\leftrightarrow Q \\iff R") == "P ↔ Q ↔ R"
    assert read("propositional_logic", "P \\nonsense Q orr R") == "P \\nonsense Q orr R"


def test_powers_and_products_of_formulas() -> None:
    """Formulas keep everything but the signs."""
    assert read("polynomial_multiplication", "3·x^2 − 2") == "3*x**2 - 2"
    assert read("simple_integration", "x^{2}") == "x**{2}"
    assert read("puzzle24", "8 ÷ (3 − 8 ÷ 3)") == "8 / (3 - 8 / 3)"
    assert read("countdown", "3 \\times 4 \\div 2") == "3 * 4 / 2"


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("x*arcsin(2*x) + arctan(x)", "x*asin(2*x) + atan(x)"),
        ("x*ln(Abs((x + 1)*2)) - 3", "x*log(((x + 1)*2)) - 3"),
        ("log(abs(x) + 1)", "log(abs(x) + 1)"),
        ("log(abs(x", "log(abs(x"),
        ("(9*x + 10)^1.5/2.5", "(9*x + 10)**(3/2)/2.5"),
        ("x**(-0.5)", "x**(-1/2)"),
    ],
)
def test_antiderivatives_may_have_other_names_and_sizes(text: str, form: str) -> None:
    """Inverse functions, logarithms of sizes, and powers as decimals."""
    assert antiderivative(text, {"question": "", "answer": "x", "metadata": {}}) == form
