"""Replace ``sympy.simplify`` in verifiers that only compare its result with 0.

sympy may simplify for a very long time. A difference that is not zero as a number cannot simplify
to zero, so `simplify` returns it unchanged and calls sympy only for the others.
"""

from collections.abc import Mapping
from typing import Any

import sympy

from rgenv.tasks.safe_parse import Rejected

_POINTS = tuple(sympy.Rational(*place).evalf(200) for place in ((29, 97), (71, 89)))
_SPREAD = sympy.Rational(13, 211).evalf(200)
"""Arguments at which differences are evaluated: between 0 and 1, without a simple relation."""


def simplify(difference: Any) -> Any:
    """Simplify `difference` if it may be zero; otherwise return it unchanged.

    Raise Rejected if it holds an integral that sympy did not solve.
    """
    if difference.has(sympy.Integral):
        raise Rejected("an integral that is not solved")
    if surely_not_zero(difference):
        return difference
    return difference.expand() and sympy.simplify(difference)  # expanding proves most of the zeros


def surely_not_zero(difference: Any) -> bool:
    """Return whether evaluation at two points proves that `difference` is not zero everywhere.

    Also True for infinities, and for derivatives that sympy could not compute (Abs, for example).
    """
    if difference.has(sympy.Derivative, sympy.oo, -sympy.oo, sympy.zoo, sympy.nan):
        return True
    symbols = sorted(difference.free_symbols, key=str)
    try:
        return all(
            _is_not_zero_at(difference, {s: point + _SPREAD * i for i, s in enumerate(symbols)})
            for point in _POINTS
        )
    except (ArithmeticError, TypeError, ValueError, NotImplementedError):
        return False  # unknown


def _is_not_zero_at(difference: Any, values: Mapping[Any, Any]) -> bool:
    """Return whether two precisions agree on a number other than zero.

    Of zero each gives its own rounding error. Sympy may round small differences of decimals to
    zero, so these count as zero.
    """
    rough, fine = (difference.evalf(15, subs=values, maxn=digits) for digits in (40, 60))
    size = abs(fine).evalf(15)
    if not size or abs(rough - fine).evalf(15) > size / 10**6:
        return False
    if not difference.has(sympy.Float):
        return True
    terms = [term.evalf(15, subs=values) for term in sympy.Add.make_args(difference)]
    return bool(size > sum(abs(term).evalf(15) for term in terms) / 10**6)
