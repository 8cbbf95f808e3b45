"""Values and formulas from text that a model wrote, without running any of it.

Text is read into a syntax tree, the tree is looked at, and what is harmless is computed here, node
by node: nothing is handed to ``eval``, nor to sympy's ``parse_expr``, which hands it to ``eval``.
Each parser gives what the function that it stands in for would give for honest text::

    >>> literal("[[0, 1], [1, 2]]")
    [[0, 1], [1, 2]]
    >>> formula("6*x**2 + 3*x/2", POLYNOMIAL)
    6*x**2 + 3*x/2
    >>> formula("(8 - 4)*(7 - 1)", ARITHMETIC)
    24

Text that would run something, or whose value would be too large, raises `Rejected`; text that is
no such value at all, prose for instance, raises SyntaxError, ValueError, TypeError or
ArithmeticError, as the original would. Each step is bounded, so that all of this is a matter of
milliseconds.

Not covered: whether a formula is the right answer, and sympy's time on one that is honest.
"""

from __future__ import annotations

import ast
import builtins
import operator
import re
import types
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from tokenize import TokenError
from typing import Any

import sympy
from sympy.parsing.sympy_parser import standard_transformations, stringify_expr

MAX_BRACKETS = 60
"""Nested brackets. Honest answers have 5; CPython's own tokenizer stops at 200."""
MAX_DEPTH = 100
"""Nested operators, a chain of sums counting as one. Honest answers have about 10."""
MAX_BITS = 2048
"""Of any whole number, numerator, denominator or binary exponent. Honest answers have 250."""
MAX_DIGITS = 600
"""Of a number as written. Honest answers have 74."""
MAX_DECIMAL_EXPONENT = 600
MAX_GROWTH = 12
"""Of the argument of an exponential, in bits. Honest answers have 7."""
MAX_NAME = 50
SUM_AT_ONCE = 16


class Rejected(ValueError):
    """The text would run something, or would need too much time or memory."""


@dataclass(frozen=True)
class Grammar:
    """What may occur in a formula.

    `text` bounds its characters, `operands` its numbers and names, `exponent` its powers, and
    `nested` how deep functions go.
    """

    functions: Mapping[str, Callable[..., Any]]
    constants: Mapping[str, Any]
    symbols: bool
    text: int
    operands: int
    exponent: int
    nested: int = 0


_FUNCTIONS = (
    "exp log ln sqrt Abs sin cos tan cot sec csc asin acos atan "
    "sinh cosh tanh asinh acosh atanh Integral"
)
"""Integral too: some reference answers hold one that sympy could not solve."""

ARITHMETIC = Grammar({}, {}, symbols=False, text=16_384, operands=200, exponent=1000)
POLYNOMIAL = Grammar({}, {}, symbols=True, text=16_384, operands=3_000, exponent=1000)
CALCULUS = Grammar(
    {"abs": abs, **{name: getattr(sympy, name) for name in _FUNCTIONS.split()}},
    {"E": sympy.E, "pi": sympy.pi},
    symbols=True,
    text=16_384,
    operands=200,
    exponent=40,
    nested=3,
)

_EXPONENTIAL = (sympy.exp, sympy.sinh, sympy.cosh, sympy.tanh)
_RUNS = (
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
_GROWS = (ast.Pow, ast.Mult, ast.LShift, ast.Mod)
_NOT_BRACKETS = re.compile(r"[^()\[\]{}]+")
_DUNDER = re.compile(r"__\w+__")


def literal(text: str) -> Any:
    """The Python literal that `text` is: numbers, strings, lists of them.

    Raises:
        Rejected: it is a Python expression that computes something, or is nested too deep.
        SyntaxError, ValueError, TypeError: it is no literal.
    """
    _refuse_deep(text)
    tree = _tree(text)
    for node in ast.walk(tree):
        _refuse_dunder(node)
        if isinstance(node, _RUNS):
            raise Rejected(f"{type(node).__name__} where a literal is expected")
        if isinstance(node, ast.BinOp) and isinstance(node.op, _GROWS):
            raise Rejected("arithmetic where a literal is expected")
    return ast.literal_eval(tree)


def formula(text: str, grammar: Grammar, names: Mapping[str, Any] | None = None) -> Any:
    """The sympy expression that ``parse_expr(text, local_dict=names)`` gives.

    Raises:
        Rejected: a call that `grammar` does not name, code, or a formula that is too large.
        SyntaxError, ValueError, TypeError, ArithmeticError: `text` is no such formula.
    """
    if len(text) > grammar.text:
        raise Rejected(f"a formula of {len(text)} characters")
    _refuse_deep(text)
    tree = _tree(_python(text, names or {}))
    _refuse_code(tree, grammar)
    reader = _Reader(grammar, names or {})
    try:
        match tree:
            case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
                return reader.value(left) == reader.value(right)
        return reader.value(tree)
    except (RecursionError, MemoryError) as error:
        raise Rejected("a formula that is nested too deep") from error


def bracket_depth(text: str) -> int:
    """How deep brackets nest, whatever their kind and whether or not they match."""
    depth = deepest = 0
    for bracket in _NOT_BRACKETS.sub("", text):
        depth += 1 if bracket in "([{" else -1
        deepest = max(deepest, depth)
    return deepest


def _refuse_deep(text: str) -> None:
    if bracket_depth(text) > MAX_BRACKETS:
        raise Rejected("brackets nested too deep")


def _tree(code: str) -> ast.expr:
    """The syntax tree of one expression; reading it runs nothing."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(code.lstrip(" \t"), mode="eval").body
    except (RecursionError, MemoryError) as error:
        raise Rejected("operators nested too deep") from error


def _python(text: str, names: Mapping[str, Any]) -> str:
    """`text` as sympy would evaluate it: numbers and names wrapped, ``!`` spelt out."""
    try:
        code: str = stringify_expr(text, dict(names), _namespace(), standard_transformations)
    except (TokenError, IndexError) as error:
        raise SyntaxError(f"not a formula: {error}") from error
    return code


@cache
def _namespace() -> dict[str, Any]:
    """The names that ``parse_expr`` knows, sympy's and Python's: looked up here, never called."""
    functions = {
        name: value
        for name, value in vars(builtins).items()
        if isinstance(value, types.BuiltinFunctionType)
    }
    public = {name: getattr(sympy, name) for name in sympy.__all__}
    return {**public, **functions, "max": sympy.Max, "min": sympy.Min}


def _refuse_code(tree: ast.expr, grammar: Grammar) -> None:
    """Only operators, numbers, names and calls by name of the grammar's functions are left."""
    operands = 0
    for node in ast.walk(tree):
        _refuse_dunder(node)
        operands += isinstance(node, ast.Constant)
        if isinstance(node, ast.Call):
            _refuse_call(node, grammar)
        elif isinstance(node, _RUNS):
            raise Rejected(f"{type(node).__name__} in a formula")
        elif isinstance(node, ast.LShift):
            raise Rejected("a shift in a formula")
    if operands > grammar.operands:
        raise Rejected(f"a formula of {operands} operands")


def _refuse_dunder(node: ast.AST) -> None:
    if isinstance(node, ast.Name) and _DUNDER.fullmatch(node.id):
        raise Rejected(f"the name {node.id}")


def _refuse_call(node: ast.Call, grammar: Grammar) -> None:
    if node.keywords:
        raise Rejected("keywords in a formula")
    name = _called(node)
    known = name in grammar.functions or name in _WRAPPERS or name == "Rational"
    if not known and (name in _namespace() or hasattr(builtins, name)):
        raise Rejected(f"a call of {name}")


def _called(node: ast.Call) -> str:
    """The name that is called, as written; empty for a number or a bracket before a bracket."""
    match node.func:
        case ast.Name(id=name):
            return name
        case ast.Call(func=ast.Name(id="Function"), args=[ast.Constant(value=str(name))]):
            return name
    return ""


def _string(node: ast.Call) -> str:
    """The one string that a wrapper such as ``Symbol('x')`` is given."""
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
    raise ValueError("not a whole number")


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


_WRAPPERS: Mapping[str, Callable[[ast.Call], Any]] = types.MappingProxyType(
    {"Integer": _integer, "Float": _float, "Symbol": _symbol}
)
"""What sympy's tokenizer writes around numbers and unknown names; 0.1[6] makes a Rational too."""


def _degree(base: Any) -> Any:
    """The largest exponent inside `base`: powers of powers multiply."""
    exponents = (abs(power.exp) for power in base.atoms(sympy.Pow) if power.exp.is_Rational)
    return max(exponents, default=1) or 1


def _number_bits(number: Any) -> int:
    if isinstance(number, sympy.Rational):
        return max(int(number.p).bit_length(), int(number.q).bit_length())
    if isinstance(number, sympy.Float) and number.is_finite:
        _, _, exponent, width = number._mpf_
        return abs(int(exponent + width)) + 1
    return 1


def _refuse_tower(exponent: Any) -> None:
    """An exponential in an exponent grows past anything; so does ``exp(n*log(a))``, which sympy
    turns into ``a**n`` by itself."""
    if exponent.has(*_EXPONENTIAL) or any(not p.exp.is_Number for p in exponent.atoms(sympy.Pow)):
        raise Rejected("an exponential in an exponent")
    limit = MAX_BITS.bit_length() // 2 if exponent.has(sympy.log) else MAX_GROWTH
    if _magnitude(exponent) > limit:
        raise Rejected("too large an exponent")


def _refuse_constant(argument: Any) -> None:
    """sympy asks whether ``log(asin(E))`` is real, and computes ever more digits to tell."""
    if argument.is_number and argument.has(sympy.Function):
        raise Rejected("a function of a function of a number")


def _magnitude(value: Any) -> Any:
    """How many bits `value` has at most before the point, where symbols are below 1."""
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


def _remainder(left: Any, right: Any) -> Any:
    return left % _both_numbers(left, right)


def _floor(left: Any, right: Any) -> Any:
    return left // _both_numbers(left, right)


def _xor(left: Any, right: Any) -> Any:
    return left ^ _both_numbers(left, right)


def _both_numbers(left: Any, right: Any) -> Any:
    """`right`. sympy takes long over remainders of formulas, and no answer holds them."""
    if isinstance(left, sympy.Rational) and isinstance(right, sympy.Rational):
        return right
    raise TypeError("defined for numbers only")


_OPERATORS: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = types.MappingProxyType(
    {
        ast.Mult: operator.mul,
        ast.Div: operator.truediv,
        ast.Mod: _remainder,
        ast.FloorDiv: _floor,
        ast.BitXor: _xor,
    }
)


@dataclass(frozen=True)
class _Reader:
    """Computes the value of a vetted tree, every step of it bounded."""

    grammar: Grammar
    names: Mapping[str, Any]

    def value(self, node: ast.expr, depth: int = 0) -> Any:
        """The value of `node`.

        A chain ``a + b - c`` is a loop, not a recursion, and is summed a few terms at a time: one
        by one, sympy's time would grow with the square of their number.
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
                terms = terms if len(terms) < SUM_AT_ONCE else [self._sum(terms)]
            elif sign is ast.Pow:
                terms = [self._bounded(self._power(self._sum(terms), other))]
            elif sign in _OPERATORS:
                terms = [self._bounded(_OPERATORS[sign](self._sum(terms), other))]
            else:
                raise ValueError(f"no formula holds {sign.__name__}")
        return self._sum(terms)

    def _sum(self, terms: list[Any]) -> Any:
        return self._bounded(terms[0] if len(terms) == 1 else sympy.Add(*terms))

    def _power(self, base: Any, exponent: Any) -> Any:
        """``base**exponent``, once it is known to be small."""
        if not isinstance(exponent, sympy.Integer):
            _refuse_constant(base)
        if not isinstance(exponent, sympy.Number):
            _refuse_tower(exponent)
        elif exponent.is_finite and abs(exponent) * _degree(base) > self.grammar.exponent:
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
        raise ValueError(f"no formula holds {type(node).__name__}")

    def _named(self, name: str) -> Any:
        for known in (self.names, self.grammar.constants):
            if name in known:
                return known[name]
        raise ValueError(f"{name} is no number and no symbol")

    def _call(self, node: ast.Call, depth: int) -> Any:
        name = _called(node)
        if name in _WRAPPERS:
            return _WRAPPERS[name](node)
        if name == "Rational" and len(node.args) == 2:
            return sympy.Rational(*(self.value(argument, depth) for argument in node.args))
        if name not in self.grammar.functions or not 1 <= len(node.args) <= 2:
            raise ValueError(f"{name or 'a number'} is no function here")
        arguments = [self.value(argument, depth) for argument in node.args]
        for argument in arguments:
            _refuse_constant(argument)
            self._refuse_nested(argument)
            if self.grammar.functions[name] in _EXPONENTIAL:
                _refuse_tower(argument)
        return self.grammar.functions[name](*arguments)

    def _refuse_nested(self, argument: Any) -> None:
        if _function_depth(argument) >= self.grammar.nested:
            raise Rejected("functions nested too deep")


def _coefficients(value: Any) -> Iterator[Any]:
    """The numbers that the terms of `value` begin with: sympy keeps a coefficient in front."""
    for term in sympy.Add.make_args(value):
        yield term
        yield from term.args[:1]


def _function_depth(value: Any) -> int:
    inner = max(map(_function_depth, value.args), default=0)
    root = value.is_Pow and not value.exp.is_Integer
    return inner + (value.is_Function or root)
