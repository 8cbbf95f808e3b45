"""Parse values and formulas in text that a model wrote, without executing any of it.

Text is parsed to a syntax tree, the tree is checked, and its value is computed here, node by node.
Nothing is passed to ``eval``, nor to sympy's ``parse_expr``, which calls ``eval``. For honest text,
each parser returns what the function it replaces returns::

    >>> literal("[[0, 1], [1, 2]]")
    [[0, 1], [1, 2]]
    >>> formula("6*x**2 + 3*x/2", POLYNOMIAL)
    6*x**2 + 3*x/2
    >>> formula("(8 - 4)*(7 - 1)", ARITHMETIC)
    24

Text that would execute something, or whose value would be too large, raises `Rejected`. Any other
text, such as prose, raises SyntaxError, ValueError, TypeError or
ArithmeticError, as the replaced function does. Every step is bounded, so parsing takes
milliseconds.
"""

import ast
import builtins
import operator
import re
import types
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from tokenize import TokenError
from typing import Any

import sympy
from sympy.parsing.sympy_parser import standard_transformations, stringify_expr

MAX_CHARS = 16_384
MAX_BRACKETS = 60
"""Nested brackets. Honest answers have 5; CPython's own tokenizer stops at 200."""
MAX_DEPTH = 100
"""Nested operators, where a chain of sums counts as one. Honest answers have about 10."""
MAX_BITS = 2048
"""Bits of an integer, numerator, denominator or binary exponent. Honest answers have 250."""
MAX_DIGITS = 600
"""Digits of a number in the text. Honest answers have 74."""
MAX_DECIMAL_EXPONENT = 600
MAX_EXPONENTIAL_BITS = 12
"""Bits of the argument of an exponential. Honest answers have 7."""
MAX_NAME = 50
SUM_CHUNK = 16


class Rejected(ValueError):
    """The text would execute something, or would take too much time or memory."""


@dataclass(frozen=True)
class Grammar:
    """The functions, names and sizes that a formula may contain.

    Attributes:
        functions: the functions that it may call, by name.
        constants: the values of the names that are not symbols.
        symbols: whether it may contain symbols; otherwise its value has to be a rational number.
        max_operands: number of numbers and names.
        max_exponent: degree of a power, exponents of powers of powers multiplied.
        max_nesting: depth of functions within functions.
        exact: whether a decimal is its fraction; a float, as for sympy, otherwise.
    """

    functions: Mapping[str, Callable[..., Any]]
    constants: Mapping[str, Any]
    symbols: bool
    max_operands: int
    max_exponent: int
    max_nesting: int = 0
    exact: bool = False


_FUNCTIONS = (
    "exp log ln sqrt Abs sin cos tan cot sec csc asin acos atan "
    "sinh cosh tanh asinh acosh atanh Integral"
)
"""With Integral, because some of the library's reference answers hold one."""

ARITHMETIC = Grammar({}, {}, symbols=False, max_operands=200, max_exponent=1000)
POLYNOMIAL = Grammar({}, {}, symbols=True, max_operands=3_000, max_exponent=1000)
CALCULUS = Grammar(
    {"abs": abs, **{name: getattr(sympy, name) for name in _FUNCTIONS.split()}},
    {"E": sympy.E, "pi": sympy.pi},
    symbols=True,
    max_operands=200,
    max_exponent=40,
    max_nesting=3,
)

EXACT_CALCULUS = replace(CALCULUS, exact=True)

_EXPONENTIAL = (sympy.exp, sympy.sinh, sympy.cosh, sympy.tanh)
_EXECUTING = (
    ast.Call,
    ast.Attribute,
    ast.Subscript,
    ast.Starred,
    ast.Lambda,
    ast.NamedExpr,
    ast.JoinedStr,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
    ast.Await,
    ast.Yield,
    ast.YieldFrom,
)
_GROWING = (ast.Pow, ast.Mult, ast.LShift, ast.Mod)
_NOT_BRACKETS = re.compile(r"[^()\[\]{}]+")
_DUNDER = re.compile(r"__\w+__")


def literal(text: str) -> Any:
    """Return the value of a Python literal: a number, a string, or lists of them.

    Raises:
        Rejected: `text` is a Python expression that computes something, or is nested too deep.
        SyntaxError, ValueError, TypeError: `text` is not a literal.
    """
    _refuse_deep_brackets(text)
    tree = _syntax_tree(text)
    for node in ast.walk(tree):
        _refuse_dunder(node)
        if isinstance(node, _EXECUTING):
            raise Rejected(f"{type(node).__name__} where a literal is expected")
        if isinstance(node, ast.BinOp) and isinstance(node.op, _GROWING):
            raise Rejected("arithmetic where a literal is expected")
    return ast.literal_eval(tree)


def formula(text: str, grammar: Grammar, names: Mapping[str, Any] | None = None) -> Any:
    """Return the sympy expression that ``parse_expr(text, local_dict=names)`` returns.

    Raises:
        Rejected: `text` is code, calls a function that is not in `grammar`, or is too large.
        SyntaxError, ValueError, TypeError, ArithmeticError: `text` is not a formula.
    """
    if len(text) > MAX_CHARS:
        raise Rejected(f"a formula of {len(text)} characters")
    if "#" in text:
        raise SyntaxError("a comment, which may hold another formula")
    _refuse_deep_brackets(text)
    try:  # numbers and names are wrapped, ``!`` is replaced
        code = stringify_expr(text, dict(names or {}), _namespace(), standard_transformations)
    except (TokenError, IndexError) as error:
        raise SyntaxError(f"not a formula: {error}") from error
    tree = _syntax_tree(code)
    _refuse_code(tree, grammar)
    evaluator = _Evaluator(grammar, names or {})
    try:
        match tree:
            case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
                return evaluator.value(left) == evaluator.value(right)
        return evaluator.value(tree)
    except (RecursionError, MemoryError) as error:
        raise Rejected("a formula that is nested too deep") from error


def bracket_depth(text: str) -> int:
    """Return how deep brackets nest, whatever their kind and whether or not they match."""
    depth = deepest = 0
    for bracket in _NOT_BRACKETS.sub("", text):
        depth += 1 if bracket in "([{" else -1
        deepest = max(deepest, depth)
    return deepest


def _refuse_deep_brackets(text: str) -> None:
    if bracket_depth(text) > MAX_BRACKETS:
        raise Rejected("brackets nested too deep")


def _syntax_tree(code: str) -> ast.expr:
    """Parse one expression; this executes nothing."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(code.lstrip(" \t"), mode="eval").body
    except (RecursionError, MemoryError) as error:
        raise Rejected("operators nested too deep") from error


@cache
def _namespace() -> dict[str, Any]:
    """Return the names that ``parse_expr`` knows, sympy's and Python's. They are never called."""
    functions = {
        name: value
        for name, value in vars(builtins).items()
        if isinstance(value, types.BuiltinFunctionType)
    }
    public = {name: getattr(sympy, name) for name in sympy.__all__}
    return {**public, **functions, "max": sympy.Max, "min": sympy.Min}


def _refuse_code(tree: ast.expr, grammar: Grammar) -> None:
    """Accept only operators, numbers, names, and calls by name of the grammar's functions."""
    operands = 0
    for node in ast.walk(tree):
        _refuse_dunder(node)
        operands += isinstance(node, ast.Constant)
        if isinstance(node, ast.Call):
            _refuse_call(node, grammar)
        elif isinstance(node, _EXECUTING):
            raise Rejected(f"{type(node).__name__} in a formula")
        elif isinstance(node, ast.LShift):
            raise Rejected("a shift in a formula")
    if operands > grammar.max_operands:
        raise Rejected(f"a formula of {operands} operands")


def _refuse_dunder(node: ast.AST) -> None:
    if isinstance(node, ast.Name) and _DUNDER.fullmatch(node.id):
        raise Rejected(f"the name {node.id}")


def _refuse_call(node: ast.Call, grammar: Grammar) -> None:
    if node.keywords:
        raise Rejected("keywords in a formula")
    name = _called_name(node)
    known = name in grammar.functions or name in _WRAPPERS or name == "Rational"
    if not known and (name in _namespace() or hasattr(builtins, name)):
        raise Rejected(f"a call of {name}")


def _called_name(node: ast.Call) -> str:
    """Return the name that is called; empty if a number or an expression is called."""
    match node.func:
        case ast.Name(id=name):
            return name
        case ast.Call(func=ast.Name(id="Function"), args=[ast.Constant(value=str(name))]):
            return name
    return ""


@dataclass(frozen=True)
class _Evaluator:
    """Computes the value of a checked tree in bounded steps."""

    grammar: Grammar
    names: Mapping[str, Any]

    def value(self, node: ast.expr, depth: int = 0) -> Any:
        """Sum a chain ``a + b - c`` in a loop, not by recursion, and a few terms at a time.

        If the terms were added one by one, sympy's time would grow with the square of their number.
        """
        if depth > MAX_DEPTH:
            raise Rejected("operators nested too deep")
        pending = []
        while isinstance(node, ast.BinOp):
            pending.append((type(node.op), node.right))
            node = node.left
        terms = [self._operand(node, depth + 1)]
        for sign, right in reversed(pending):
            other = self.value(right, depth + 1)
            if sign in (ast.Add, ast.Sub):
                terms.append(other if sign is ast.Add else -other)
                terms = terms if len(terms) < SUM_CHUNK else [self._sum(terms)]
            elif sign is ast.Pow:
                terms = [self._bounded(self._power(self._sum(terms), other))]
            elif sign in _OPERATORS:
                left = self._sum(terms)
                both = isinstance(left, sympy.Rational) and isinstance(other, sympy.Rational)
                if sign in _FOR_NUMBERS and not both:
                    raise TypeError("defined for numbers only")
                terms = [self._bounded(_OPERATORS[sign](left, other))]
            else:
                raise ValueError(f"a formula cannot contain {sign.__name__}")
        return self._sum(terms)

    def _sum(self, terms: list[Any]) -> Any:
        return self._bounded(terms[0] if len(terms) == 1 else sympy.Add(*terms))

    def _power(self, base: Any, exponent: Any) -> Any:
        """Return ``base**exponent`` if it is sure to be small."""
        if not isinstance(exponent, sympy.Integer):
            _refuse_nested_constant(base)
        if not isinstance(exponent, sympy.Number):
            _refuse_large_exponent(exponent)
        elif exponent.is_finite and abs(exponent) * _degree(base) > self.grammar.max_exponent:
            raise Rejected("too large an exponent")
        return base**exponent

    def _bounded(self, value: Any) -> Any:
        if any(_number_bits(number) > MAX_BITS for number in _coefficients(value)):
            raise Rejected("a number of too many digits")
        if not self.grammar.symbols and not (value.is_Number or value is sympy.zoo):
            raise ValueError("not a rational number")
        return value

    def _operand(self, node: ast.expr, depth: int) -> Any:
        match node:
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self.value(operand, depth)
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return +self.value(operand, depth)
            case ast.Name(id=name):
                return self._named(name)
            case ast.Call():
                return self._call(node, depth)
        raise ValueError(f"a formula cannot contain {type(node).__name__}")

    def _named(self, name: str) -> Any:
        for known in (self.names, self.grammar.constants):
            if name in known:
                return known[name]
        raise ValueError(f"{name} is neither a number nor a symbol")

    def _call(self, node: ast.Call, depth: int) -> Any:
        name = _called_name(node)
        if name in _WRAPPERS:
            value = _WRAPPERS[name](node)
            is_exact = name == "Float" and self.grammar.exact
            return sympy.Rational(_string(node)) if is_exact else value
        if name == "Rational" and len(node.args) == 2:
            return sympy.Rational(*(self.value(argument, depth) for argument in node.args))
        if name not in self.grammar.functions or not 1 <= len(node.args) <= 2:
            raise ValueError(f"{name or 'a number'} is not a function here")
        arguments = [self.value(argument, depth) for argument in node.args]
        for argument in arguments:
            _refuse_nested_constant(argument)
            if _function_depth(argument) >= self.grammar.max_nesting:
                raise Rejected("functions nested too deep")
            if self.grammar.functions[name] in _EXPONENTIAL:
                _refuse_large_exponent(argument)
        return self.grammar.functions[name](*arguments)


def _string(node: ast.Call) -> str:
    """Return the argument of a wrapper such as ``Symbol('x')``."""
    match node.args:
        case [ast.Constant(value=str(text))]:
            return text
    raise ValueError("not a name")


def _integer(node: ast.Call) -> Any:
    match node.args:
        case [ast.Call(func=ast.Name(id="Integer")) as wrapped]:
            return _integer(wrapped)
        case [ast.Constant(value=int(number))] if number.bit_length() <= MAX_BITS:
            return sympy.Integer(number)
        case [ast.Constant(value=int())]:
            raise Rejected("a number of too many digits")
    raise ValueError("not an integer")


def _float(node: ast.Call) -> Any:
    text = _string(node)
    mantissa, _, exponent = text.lower().partition("e")
    if len(mantissa) > MAX_DIGITS:
        raise Rejected("a number of too many digits")
    if len(exponent) > MAX_NAME or abs(int(exponent or 0)) > MAX_DECIMAL_EXPONENT:
        raise Rejected("a number with too large an exponent")
    return sympy.Float(text)


def _symbol(node: ast.Call) -> Any:
    name = _string(node)
    if len(name) > MAX_NAME:
        raise ValueError("not a name")
    return sympy.Symbol(name)


_WRAPPERS = {"Integer": _integer, "Float": _float, "Symbol": _symbol}
"""The wrappers that sympy puts around numbers and unknown names. It also makes a Rational of
``0.1[6]``."""


def _degree(base: Any) -> Any:
    """Return the largest exponent in `base`, by which an outer exponent multiplies."""
    exponents = (abs(power.exp) for power in base.atoms(sympy.Pow) if power.exp.is_Rational)
    return max(exponents, default=1) or 1


def _number_bits(number: Any) -> int:
    if isinstance(number, sympy.Rational):
        return max(int(number.p).bit_length(), int(number.q).bit_length())
    if isinstance(number, sympy.Float) and number.is_finite:
        _, _, exponent, width = number._mpf_
        return abs(int(exponent + width)) + 1
    return 1


def _refuse_large_exponent(exponent: Any) -> None:
    """Bound a symbolic exponent. An exponential in an exponent has no bound, and sympy turns
    ``exp(n*log(a))`` into ``a**n``."""
    if exponent.has(*_EXPONENTIAL) or any(not p.exp.is_Number for p in exponent.atoms(sympy.Pow)):
        raise Rejected("an exponential in an exponent")
    limit = MAX_BITS.bit_length() // 2 if exponent.has(sympy.log) else MAX_EXPONENTIAL_BITS
    if _magnitude(exponent) > limit:
        raise Rejected("too large an exponent")


def _refuse_nested_constant(argument: Any) -> None:
    """Refuse numbers such as asin(E) in a function or power: to decide whether ``log(asin(E))`` is
    real, sympy computes more and more digits."""
    if argument.is_number and argument.has(sympy.Function):
        raise Rejected("a function of a function of a number")


def _magnitude(value: Any) -> Any:
    """Return an upper bound of the bits before the point, if all symbols are below 1."""
    inner = [_magnitude(argument) for argument in value.args]
    if value.is_Number:
        return _number_bits(value)
    if value.is_Add:
        return max(inner) + len(inner).bit_length()
    if value.is_Mul:
        return sum(inner)
    if value.is_Pow:
        return inner[0] * (abs(value.exp) if value.exp.is_Number else 2 ** min(inner[1], 31))
    return 2 if value.is_NumberSymbol else 0


_OPERATORS: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
    ast.FloorDiv: operator.floordiv,
    ast.BitXor: operator.xor,
}
_FOR_NUMBERS = (ast.Mod, ast.FloorDiv, ast.BitXor)
"""sympy is slow at remainders of formulas, and no honest answer contains one."""


def _coefficients(value: Any) -> Iterator[Any]:
    """Yield each term of `value` and its first factor, where sympy keeps the coefficient."""
    for term in sympy.Add.make_args(value):
        yield term
        yield from term.args[:1]


def _function_depth(value: Any) -> int:
    """Return how deep functions and roots are nested in `value`."""
    inner = max(map(_function_depth, value.args), default=0)
    root = value.is_Pow and not value.exp.is_Integer
    return inner + (value.is_Function or root)


def parser(grammar: Grammar) -> Callable[..., Any]:
    """Return a replacement of sympy's ``parse_expr`` that executes nothing."""

    def parse_expr(s: str, local_dict: Mapping[str, Any] | None = None) -> Any:
        return formula(s, grammar, local_dict)

    return parse_expr
