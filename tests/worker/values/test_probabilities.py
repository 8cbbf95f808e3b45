"""rgenv/worker/values/probabilities: fractions, decimals and percentages of the same chance."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rgenv.worker.values.probabilities import KINDS, read_fraction

TRIALS = st.integers(1, 40).flatmap(lambda n: st.tuples(st.integers(1, 2**n - 1), st.just(2**n)))


def coin(numerator: int, denominator: int) -> dict[str, Any]:
    rational = {"numerator": numerator, "denominator": denominator}
    answer = format(numerator / denominator, ".10g")
    return {"answer": answer, "question": "", "metadata": {"rational": rational}}


@given(TRIALS)
def test_a_chance_has_many_forms(chance: tuple[int, int]) -> None:
    """A fraction, reduced or not, a decimal of three digits and a percentage are the same."""
    entry, exact = coin(*chance), Fraction(*chance)
    forms = ["{}/{}".format(*chance), f"{exact.numerator} / {exact.denominator}"]
    forms += [f"\\frac{{{exact.numerator}}}{{{exact.denominator}}}", f"{float(exact):#.3g}"]
    forms += [f"{float(exact):#.6g}", f"{float(exact)!r}", f"{100 * float(exact):#.4g}%"]
    forms += [f"{100 * float(exact):#.6g} \\%", f"{100 * float(exact):#.5g} percent"]
    for form in forms:
        assert KINDS["coin_flip"](form.replace(".e", "e"), entry) == entry["answer"], form


@given(TRIALS, st.integers(3, 8), st.sampled_from([-1, 1]))
def test_another_chance_is_another_answer(chance: tuple[int, int], digits: int, sign: int) -> None:
    """One unit of the last digit that is shown makes another answer."""
    entry, exact = coin(*chance), Fraction(*chance)
    shown = f"{float(exact):.{digits - 1}e}"
    unit = Fraction(10) ** (int(shown.partition("e")[2]) - digits + 1)
    other = Fraction(shown) + sign * unit
    assume(abs(other - exact) != unit / 2)
    text = f"{float(other):.{digits - 1}e}"
    assume(Fraction(text) == other and text.partition("e")[2] == shown.partition("e")[2])
    assert KINDS["coin_flip"](text, entry) != entry["answer"]
    if Fraction(chance[0] + sign, chance[1]) != Fraction(entry["answer"]):  # which is rounded
        text = f"{chance[0] + sign}/{chance[1]}"
        assert KINDS["coin_flip"](text, entry) != entry["answer"]


@pytest.mark.parametrize(
    "text", ["0.2", "0.19", "19%", "0.1933", "1.9e-1", "0.193 or so", "-0.193"]
)
def test_too_few_digits_are_not_enough(text: str) -> None:
    """Fewer than three significant digits, and cut ones, are another answer."""
    entry = coin(99, 512)  # 0.193359375
    assert KINDS["coin_flip"](text, entry) != entry["answer"]


@given(st.integers(1, 10**9), st.integers(2, 10**9))
def test_odds_are_a_fraction_in_lowest_terms(top: int, bottom: int) -> None:
    """dice asks for a reduced fraction: a multiple of it is another answer."""
    assume(math.gcd(top, bottom) == 1)
    entry = {"answer": f"{top}/{bottom}", "question": "", "metadata": {}}
    for text in (f"{top:,} / {bottom:,}", f"\\dfrac{{{top}}}{{{bottom}}}", f"+{top}/{bottom}"):
        assert KINDS["dice"](text, entry) == entry["answer"]
    for text in (f"{2 * top}/{2 * bottom}", f"-{top}/{bottom}", f"{top}/{bottom + 1}"):
        assert KINDS["dice"](text, entry) != entry["answer"]


def test_exact_odds_may_be_a_percentage() -> None:
    """A decimal or a percentage that is not rounded is the same as the fraction."""
    entry = {"answer": "3/8", "question": "", "metadata": {}}
    for text in ("0.375", "37.5%", "37.50 %"):
        assert KINDS["dice"](text, entry) == "3/8"
    for text in ("0.38", "37%", "375"):
        assert KINDS["dice"](text, entry) != "3/8"


@pytest.mark.parametrize("answer", ["2/3", "$2/3$", "\\frac{2}{3}", "$\\frac{2}{3}$"])
def test_a_simplified_fraction_may_change_its_notation(answer: str) -> None:
    """A fraction in lowest terms is the same with a slash and in LaTeX."""
    entry = {"answer": answer, "question": "", "metadata": {}}
    for text in ("2/3", "2 / 3", "\\frac{2}{3}", "\\tfrac{ 2 }{ 3 }", "$2/3$"):
        assert KINDS["fraction_simplification"](text, entry) == answer
    for text in ("4/6", "3/2", "2/3/1", "$2/3", "0.667", "-2/3", "\\frac{4}{6}", "\\frac{2}{3}1"):
        assert KINDS["fraction_simplification"](text, entry) != answer


@pytest.mark.parametrize(
    "text", ["1/0", "1/-2", "--1/2", "-(1/2)", "1//2", "1/2/3", "a/b", "/2", "1/", "01/2", "1.5/2"]
)
def test_what_is_no_fraction_is_not_read(text: str) -> None:
    """Only a slash or \\frac between two whole numbers makes a fraction."""
    assert read_fraction(text) is None
