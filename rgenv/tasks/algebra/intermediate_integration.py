"""Find an antiderivative, by parts or substitution."""

from functools import lru_cache
from typing import Any

import sympy
from sympy.core.function import AppliedUndef

from rgenv.tasks import Entry, Task, changed, moving, question_numbers, random_of, replaced
from rgenv.tasks.answers.expressions import Antiderivative
from rgenv.tasks.bounded_simplify import simplify
from rgenv.tasks.formulas import antiderivative_of, derivative
from rgenv.tasks.safe_parse import CALCULUS, formula, parser

BY_PARTS = ("polynomial_exp_trig", "repeated_parts", "cyclic", "log_inverse_trig")
MOST = 9
"""The largest factor in an integral by parts."""


def correct(entry: Entry) -> Entry | None:
    """Draw the factors of an integral by parts anew; return None if sympy does not solve it.

    The library has some 40 of them, and multiples of these. It builds some with a function of its
    own that is only called sin or cos, and leaves these unsolved.
    """
    meta, rng = entry["metadata"], random_of(entry)
    if meta["problem_type"] not in BY_PARTS or "log(" in meta["integrand"]:
        return entry
    x = sympy.Symbol(meta["variable"])
    shown = formula(meta["integrand"], CALCULUS, {x.name: x})
    constant, function = shown.as_independent(x, as_Add=False)
    factors = function.args if function.is_Mul else (function,)
    one, other = (rng.randint(1, MOST) for _ in range(2))
    if power := [factor for factor in factors if factor.is_polynomial(x)]:
        degree = int(sympy.degree(*power))  # powers two apart lead to the same terms
        lower = rng.choice((-1, 1)) * other * x ** rng.choice(range(degree % 2, degree, 2) or [0])
        integrand = (rng.choice((-1, 1)) * one * power[0] + lower) * (function / power[0])
    else:
        multiples = (one, other if function.has(sympy.exp) else one)
        pairs = zip(factors, multiples, strict=False)
        integrand = constant * sympy.Mul(*(factor.func(n * x) for factor, n in pairs))
    integral = antiderivative(integrand, x)
    if integral.has(sympy.Integral):
        return None
    question = replaced(entry["question"], meta["integrand"], str(integrand))
    return changed(entry, question, f"{integral} + C", integrand=str(integrand))


@lru_cache(maxsize=1 << 12)
def antiderivative(integrand: Any, x: Any) -> Any:
    """Return an integral; sympy.integrate searches long for kinds that have a rule."""
    if (polynomial := integrand.as_poly(x)) is not None:
        return polynomial.integrate().as_expr()
    constant, function = integrand.as_independent(x, as_Add=False)
    if function.has(AppliedUndef):
        return constant * sympy.Integral(function, x)
    factors = function.args if function.is_Mul else (function, sympy.S.One)
    if len(factors) == 2:
        for one, other in (factors, factors[::-1]):
            found = (
                _by_parts(constant, one, other, x)
                or _cyclic(constant, one, other, x)
                or _substituted(constant, one, other, x)
            )
            if found:
                return found
    if (found := _of_inverse(constant, function, x)) is not None:
        return found
    if constant != 1 and not function.has(sympy.Add):
        return constant * antiderivative(function, x)
    return _search(integrand, x)


_search = sympy.integrate  # the library's name for it is replaced


def _of_inverse(constant: Any, function: Any, x: Any) -> Any:
    """Integrate the root of a linear term, or log, asin or atan of a multiple or power of x."""
    inner = function.args[0]
    if function.is_Pow and function.exp == sympy.S.Half and inner.is_polynomial(x):
        slope = inner.diff(x)
        return None if slope.has(x) else 2 * constant * inner ** (3 * sympy.S.Half) / (3 * slope)
    exponent = inner.as_base_exp()[1] if inner.has(x) else 0
    if isinstance(function, sympy.log) and inner == x**exponent:
        rest = -exponent * x
    elif isinstance(function, sympy.asin) and not (inner / x).has(x):
        rest = sympy.sqrt(1 - inner**2) / (inner / x)
    elif isinstance(function, sympy.atan) and not (inner / x).has(x):
        rest = -sympy.log(inner**2 + 1) / (2 * inner / x)
    else:
        return None
    return constant * (x * function + rest)


def _by_parts(constant: Any, power: Any, function: Any, x: Any) -> Any:
    """Integrate a polynomial times exp(x), or times a sine or cosine of a multiple of x."""
    if not power.is_polynomial(x) or not power.has(x):
        return None
    if not isinstance(function, sympy.exp | sympy.sin | sympy.cos):
        return None
    multiple = function.args[0] / x
    if not multiple.is_Integer or (isinstance(function, sympy.exp) and multiple != 1):
        return None
    polynomial = sympy.Poly(constant * power, x)
    slopes = [polynomial.diff((x, times)) for times in range(polynomial.degree() + 1)]
    if isinstance(function, sympy.exp):
        return (sum(slopes[::2]) - sum(slopes[1::2])).as_expr() * function
    pair = -function.diff(x) / multiple, function
    terms = (
        factor * x**power * pair[times % 2] * (-1) ** (times // 2) / multiple ** (times + 1)
        for times, slope in enumerate(slopes)
        for (power,), factor in slope.terms()
    )
    return sympy.Add(*terms)


def _cyclic(constant: Any, exponential: Any, wave: Any, x: Any) -> Any:
    """Integrate exp times a sine or cosine, of multiples of x."""
    if not isinstance(exponential, sympy.exp) or not isinstance(wave, sympy.sin | sympy.cos):
        return None
    growth, rate = (function.args[0] / x for function in (exponential, wave))
    if growth.has(x) or rate.has(x):
        return None
    rest = exponential * (growth * wave - wave.diff(x)) / (growth**2 + rate**2)
    return (constant * rest).expand()


def _substituted(constant: Any, one: Any, other: Any, x: Any) -> Any:
    """Integrate exp of a polynomial, or a power of a sine or cosine, times the slope of that."""
    if isinstance(one, sympy.exp) and one.args[0].is_polynomial(x):
        ratio = sympy.cancel(other / one.args[0].diff(x))
        return None if ratio.has(x) else constant * ratio * one
    base, exponent = one.as_base_exp()
    if exponent.is_Integer and exponent > 0 and isinstance(base, sympy.sin | sympy.cos):
        ratio = other / base.diff(x)
        return None if ratio.has(x) else constant * ratio * base ** (exponent + 1) / (exponent + 1)
    return None


TASK = Task(
    answer=Antiderivative(),
    correct=correct,
    verify=antiderivative_of,
    guarded={"sympy.parse_expr": parser(CALCULUS), "sympy.simplify": simplify},
    faster={"algebra.intermediate_integration:sympy:diff": derivative},
    constructs={"algebra.intermediate_integration:sympy:integrate": antiderivative},
    family=question_numbers,
    # The curriculum takes the kinds in the order in which the code lists them. Here they come
    # by the rules that they need: substitutions first, then more and more integrations by
    # parts.
    levels=moving(
        problem_type_weights=[
            [0.4, 0.3, 0.0, 0.0, 0.0, 0.3, 0.0, 0.0],
            [0.0, 0.1, 0.3, 0.2, 0.2, 0.2, 0.0, 0.0],
            [0.0, 0.0, 0.1, 0.0, 0.8, 0.0, 0.1, 0.0],
            [0.0, 0.0, 0.1, 0.0, 0.7, 0.0, 0.0, 0.2],
            [0.0, 0.0, 0.0, 0.0, 0.8, 0.0, 0.0, 0.2],
        ],
        poly_degree=[(1, 3), (1, 3), (2, 4), (3, 5), (4, 6)],
        outer_constant_max=[9],
    ),
)
