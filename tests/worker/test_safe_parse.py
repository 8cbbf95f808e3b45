"""Text becomes a value, an error or a rejection, and nothing else."""

import contextlib
from typing import Any

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from rgenv.tasks.safe_parse import ARITHMETIC, CALCULUS, POLYNOMIAL, Rejected, formula, literal
from tests.support.timing import processor_seconds

GRAMMARS = [ARITHMETIC, POLYNOMIAL, CALCULUS]
DECLARED = (SyntaxError, ValueError, TypeError, ArithmeticError)


TOO_EXPENSIVE = {
    "tower": "7**7**7**7",
    "power": "10**10**9",
    "power of a symbol": "((x**900)**900)**900",
    "coefficient": "(9**500*x)**500",
    "shift": "1 << 10**10",
    "sum of fractions": " + ".join(f"1/{n}**400" for n in range(2, 150)),
    "factorial": "factorial(10**8)",
    "expand": "expand((a + b + c + d)**300)",
    "prime": "prevprime(10**6000)",
    "decimal": "1e888888888",
    "long decimal": "0." + "3" * 16_000,
    "digits": "8" * 4_000,
    "brackets": "(" * 8_000 + "1" + ")" * 8_000,
    "operands": "+".join("1" * 1_000),
    "length": "x" + " " * 17_000 + "+ 1",
}
CALCULUS_TOO_EXPENSIVE = {
    "nested functions": "sin(" * 40 + "x" + ")" * 40,
    "exponential tower": "exp(exp(x))",
    "constant tower": "pi**pi**pi**pi",
    "constant power": "cosh(998**E)",
    "exponential of a power": "exp((999*x + 999)**30)",
    "power in disguise": "exp(99999999*log(99999999))",
    "large exponent": "(x + y + z + 1)**400",
    "integral": "integrate(exp(x**x)*cos(x**x), x)",
}


@pytest.mark.parametrize("name", [*TOO_EXPENSIVE, *CALCULUS_TOO_EXPENSIVE])
def test_expensive_formulas_are_rejected_quickly(name: str) -> None:
    text = (TOO_EXPENSIVE | CALCULUS_TOO_EXPENSIVE)[name]
    has_no_symbol = name in TOO_EXPENSIVE and "x" not in text
    for grammar in (CALCULUS, ARITHMETIC) if has_no_symbol else (CALCULUS,):
        with processor_seconds(2), pytest.raises(Rejected):
            formula(text, grammar, {"x": sympy.Symbol("x")})


DEEP = ["[" * 15_000 + "]" * 15_000, "-" * 30_000 + "1", "{1:" * 9_000]
COMPUTED = ["[0]*10**10", "[[0]*9]*10**9", "'%999999999d' % 1", "9**9**9"]


@pytest.mark.parametrize("text", [*COMPUTED, *DEEP], ids=range(7))
def test_a_literal_that_computes_or_nests_without_end_is_refused_quickly(text: str) -> None:
    with processor_seconds(1.0), pytest.raises((Rejected, SyntaxError)):
        literal(text)


numbers = st.one_of(
    st.integers(0, 300).map(str), st.sampled_from(["0.5", "2.0", "1e3", "0.1[6]", "12_3"])
)
atoms = st.one_of(numbers, st.sampled_from(["x", "y", "z"]))


def formulas(leaf: Any) -> Any:
    """Generate well-formed arithmetic over `leaf`, with small exponents."""
    return st.recursive(
        leaf,
        lambda inner: st.one_of(
            st.tuples(inner, st.sampled_from([" + ", " - ", "*", "/"]), inner).map("".join),
            inner.map(lambda text: f"({text})"),
            inner.map(lambda text: f"-{text}"),
            st.tuples(inner, st.integers(0, 3)).map(lambda pair: f"({pair[0]})**{pair[1]}"),
        ),
        max_leaves=25,
    )


def same(ours: Any, theirs: Any) -> bool:
    """Return whether two values have the same type and the same structure."""
    return type(ours) is type(theirs) and sympy.srepr(ours) == sympy.srepr(theirs)


@given(formulas(atoms), formulas(numbers))
@settings(max_examples=150)
def test_formulas_equal_those_of_sympy(text: str, sum_: str) -> None:
    """They become exactly the expression that parse_expr returns; arithmetic has no symbols."""
    assert same(formula(text, POLYNOMIAL), sympy.parse_expr(text))
    assert same(formula(sum_, ARITHMETIC), sympy.parse_expr(sum_))


@pytest.mark.parametrize(
    "text",
    [
        "-exp(x)*sin(x) + exp(x)*cos(x) + C",
        "x*asin(3*x) + sqrt(1 - 9*x**2)/3 + C",
        "x*atan(2*x) - log(1 + 4*x**2)/4 + C",
        "E**(2*x + 1)/2 + pi*x + C",
        "3*Integral(x**3*cos(3*x), x) + C",
        "2*(3*x + 4)**(3/2)/9 + C",
        "x**2*log(x)/2 - x**2/4 + ln(abs(x)) + C",
        "-cos(5*x - 3)**5/5 + tan(x)*sec(x) + C",
        "0.333*x**3 + 2.5e-3*x + C",
        "7 ^ 3 + 17 % 5 + 17 // 5",
        "3*8 == 24",
        "x**2 == 2*x",
    ],
)
def test_antiderivatives_equal_those_of_sympy(text: str) -> None:
    names = {"x": sympy.Symbol("x"), "C": sympy.Symbol("C")}
    assert same(formula(text, CALCULUS, names), sympy.parse_expr(text, local_dict=dict(names)))


scalars = st.one_of(st.integers(), st.text(), st.floats(allow_nan=False, allow_infinity=False))
nested = st.recursive(scalars, lambda inner: st.lists(inner) | st.tuples(inner), max_leaves=8)


@given(nested)
def test_literals_equal_those_of_eval(value: Any) -> None:
    text = repr(value)
    assert literal(text) == eval(text) == value
    assert literal(f" \t{text}\n") == value


FRAGMENTS = """
x y X C E pi 1 2 99 0.5 1e300 ( ) ( ) + - * / ** ^ ! % // << , . [ ] { } : == = < exp( log( sin(
sqrt( Abs( Integral( Symbol( Rational( Function( lambda __import__ eval open x.y 'a' "b" if else
not and or in is for I oo nan zoo S N 0.2[1] _ é ² # ~ & | @ := f'{x}' print( __class__
.__class__ (1,2)
"""
fragments = st.sampled_from([*FRAGMENTS.split(), "\\", "\n", "\t", "\x00"])
anything = st.one_of(
    st.text(max_size=60),
    st.lists(fragments, max_size=12).map("".join),
    st.lists(fragments, max_size=12).map(" ".join),
)


@given(text=anything)
@settings(max_examples=400)
def test_any_text_is_a_value_or_a_declared_error(text: str) -> None:
    """tests/test_hostile.py shows that no text is executed."""
    for read in (literal, *(lambda t, g=g: formula(t, g) for g in GRAMMARS)):
        with contextlib.suppress(DECLARED):
            read(text)
