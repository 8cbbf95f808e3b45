"""Find an antiderivative, by parts or substitution."""

from functools import lru_cache
from typing import Any

import sympy
from sympy.core.function import AppliedUndef

from rgenv.tasks import Entry, Task, moving, question_numbers
from rgenv.tasks.answers.expressions import Antiderivative
from rgenv.tasks.bounded_simplify import simplify
from rgenv.tasks.formulas import antiderivative_of, derivative
from rgenv.tasks.safe_parse import CALCULUS, formula, parser


def correct(entry: Entry) -> Entry | None:
    """Return the entry with a solved integral; None if sympy finds none.

    The library builds some integrands with a function of its own that is only called sin or cos.
    """
    if "Integral" not in entry["answer"]:
        return entry
    name = entry["metadata"]["variable"]
    variable = sympy.Symbol(name)
    integrand = formula(entry["metadata"]["integrand"], CALCULUS, {name: variable})
    integral = antiderivative(integrand, variable)
    return None if integral.has(sympy.Integral) else {**entry, "answer": f"{integral} + C"}


@lru_cache(maxsize=1 << 12)
def antiderivative(integrand: Any, x: Any) -> Any:
    """Return what sympy.integrate returns, which searches long for kinds that have a rule."""
    if (polynomial := integrand.as_poly(x)) is not None:
        return polynomial.integrate().as_expr()
    constant, function = integrand.as_independent(x, as_Add=False)
    if function.has(AppliedUndef):
        return constant * sympy.Integral(function, x)
    factors = function.args if function.is_Mul else (function, sympy.S.One)
    if len(factors) == 2:
        for one, other in (factors, factors[::-1]):
            found = _by_parts(constant, one, other, x) or _substituted(constant, one, other, x)
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
    """Integrate a power of x times exp(x), or times a sine or cosine of a multiple of x."""
    base, exponent = power.as_base_exp()
    if base != x or not exponent.is_Integer or exponent < 1:
        return None
    if not isinstance(function, sympy.exp | sympy.sin | sympy.cos):
        return None
    multiple = function.args[0] / x
    if not multiple.is_Integer or (isinstance(function, sympy.exp) and multiple != 1):
        return None
    terms = []
    while power:
        integral = -function.diff(x) / multiple**2
        function = function if isinstance(function, sympy.exp) else integral
        terms.append(constant * power * function)
        constant, power = -constant, power.diff(x)
    if isinstance(function, sympy.exp):
        return sympy.Add(*(term / function for term in terms)) * function
    return sympy.Add(*terms)


def _substituted(constant: Any, one: Any, other: Any, x: Any) -> Any:
    """Integrate exp of a polynomial, or a power of a sine or cosine, times the slope of that."""
    if isinstance(one, sympy.exp) and one.args[0].is_polynomial(x):
        ratio = sympy.cancel(other / one.args[0].diff(x))
        return None if ratio.has(x) else constant * ratio * one
    base, exponent = one.as_base_exp()
    if exponent.is_Integer and exponent > 1 and isinstance(base, sympy.sin | sympy.cos):
        ratio = other / base.diff(x)
        return None if ratio.has(x) else constant * ratio * base ** (exponent + 1) / (exponent + 1)
    return None


TASK = Task(
    answer=Antiderivative(),
    also_right="any antiderivative, with any or no constant",
    correct=correct,
    verify=antiderivative_of,
    clarify=((r"\A[^\n]*\bX\b[^\n]* dx\n", "The variable of integration is X."),),
    guarded={"sympy.parse_expr": parser(CALCULUS), "sympy.simplify": simplify},
    faster={
        "algebra.intermediate_integration:sympy:diff": derivative,
        "algebra.intermediate_integration:sympy:integrate": antiderivative,
    },
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
