r"""The rules of the stand-in policy: they compute the answer to a question from its text.

    >>> answer("Find the Greatest Common Divisor (GCD) of these numbers: 12, 18. Give only the GCD")
    '6'
    >>> answer("What is the meaning of life?") is None
    True

A rule sees only the question: no task name, no reference answer, no verifier. Its function takes
the groups of its pattern and returns the answer, all of them strings.
"""

import ast
import math
import operator
import re
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction
from typing import NamedTuple

Solver = Callable[..., str]

# A question may match a pattern and still make no sense, such as a division by zero.
UNANSWERABLE = (ValueError, ArithmeticError, LookupError, RecursionError)
ROWS = r"((?:^[\d ]+\n?)+)"
OPERATORS: dict[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


class Rule(NamedTuple):
    task: str
    pattern: re.Pattern[str]
    solve: Solver


RULES: list[Rule] = []


def answer(question: str) -> str | None:
    """Return the answer of the first rule that matches, or None if there is none."""
    for rule in RULES:
        if match := rule.pattern.search(question):
            try:
                return rule.solve(*match.groups())
            except UNANSWERABLE:
                return None
    return None


def rule(task: str, pattern: str) -> Callable[[Solver], Solver]:
    """Register the decorated function for questions that match `pattern`."""

    def register(solve: Solver) -> Solver:
        RULES.append(Rule(task, re.compile(pattern, re.MULTILINE), solve))
        return solve

    return register


@rule("decimal_chain_sum", r"following arithmetic problem: ([\d.\s+-]+) =")
@rule("chain_sum", r"following arithmetic problem: ([\d\s+-]+) =")
@rule("basic_arithmetic", r"\ACalculate ([\d\s.()+*/-]+)\.\s*\Z")
@rule("products", r"following multiplication: ([\d\s*-]+)\.")
@rule("decimal_arithmetic", r"significant digits, rounding up from the half.*\n([\d.()+*/-]+) = \?")
def arithmetic(expression: str) -> str:
    return decimal_text(evaluate(expression))


@rule("simple_equations", r"(?:Solve for|the value of) ([a-z])\b.*?: (.+=.+)")
def solve_equation(unknown: str, equation: str) -> str:
    """Solve a linear equation: two values of the left side determine its line."""
    left, right = equation.split("=")
    at_zero = evaluate(left, **{unknown: 0})
    slope = evaluate(left, **{unknown: 1}) - at_zero
    return decimal_text((evaluate(right) - at_zero) / slope)


def evaluate(expression: str, **values: int) -> Fraction:
    """Compute an expression such as `2 * (x - 1.5)` exactly.

    Args:
        values: the variables.

    Raises:
        ValueError: the text is anything else.
    """

    def value(node: ast.expr) -> Fraction:
        match node:
            case ast.BinOp(left, operation, right) if type(operation) in OPERATORS:
                return OPERATORS[type(operation)](value(left), value(right))
            case ast.UnaryOp(ast.USub(), operand):
                return -value(operand)
            case ast.Constant(int() | float() as number):
                return Fraction(repr(number))
            case ast.Name(name) if name in values:
                return Fraction(values[name])
        raise ValueError(f"not arithmetic: {ast.dump(node)[:80]}")

    try:
        return value(ast.parse(expression.strip(), mode="eval").body)
    except SyntaxError as error:
        raise ValueError(f"not arithmetic: {expression[:80]}") from error


def decimal_text(number: Fraction, digits: int = 12) -> str:
    """Format an integer as it is, and any other number with at most `digits` digits."""
    if number.denominator == 1:
        return str(number.numerator)
    with localcontext(prec=digits, rounding=ROUND_HALF_UP):
        return format((Decimal(number.numerator) / number.denominator).normalize(), "f")


def integers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"-?\d+", text)]


@rule("gcd", r"Greatest Common Divisor \(GCD\) of these numbers: ([\d, ]+)")
def gcd(numbers: str) -> str:
    return str(math.gcd(*integers(numbers)))


@rule("lcm", r"Least Common Multiple \(LCM\) of these numbers: ([\d, ]+)")
def lcm(numbers: str) -> str:
    return str(math.lcm(*integers(numbers)))


@rule("count_bits", r"How many 1 bits are there in the binary representation of the number (\d+)")
def count_bits(number: str) -> str:
    return str(int(number).bit_count())


@rule("fraction_simplification", r"Simplify the fraction (\S+) to its lowest terms")
def simplify(text: str) -> str:
    fraction = Fraction(*integers(text))  # reads 6/8 and $\frac{6}{8}$
    return f"{fraction.numerator}/{fraction.denominator}"


@rule("letter_counting", r'How many times does the letter "(\w)" appear in the text: "(.*)"')
def count_letter(letter: str, text: str) -> str:
    return str(text.lower().count(letter.lower()))


@rule("spell_backward", r"Spell this word backward .*: (\S+)\s*$")
def spell_backward(word: str) -> str:
    return word[::-1]


@rule("word_sorting", r"sort these words in (ascending|descending) order .*list: (.+)")
def sort_words(direction: str, words: str) -> str:
    return ", ".join(sorted(words.split(", "), reverse=direction == "descending"))


@rule("number_sorting", r"Sort these numbers in (ascending|descending) order: (.+)")
def sort_numbers(direction: str, numbers: str) -> str:
    return str(sorted(numbers.split(", "), key=float, reverse=direction == "descending"))


@rule("number_filtering", r"(Keep|Remove) all numbers (larger|smaller) than (\S+) in .*list: (.+)")
def filter_numbers(action: str, side: str, limit: str, numbers: str) -> str:
    def matches(number: str) -> bool:
        value, bound = float(number), float(limit)
        return value > bound if side == "larger" else value < bound

    listed = re.findall(r"'([^']+)'", numbers)
    return str([number for number in listed if matches(number) == (action == "Keep")])


@rule("rotate_matrix", r"Rotate the matrix below by (\d+) degrees clockwise:\n" + ROWS)
def rotate(degrees: str, matrix: str) -> str:
    rows = [line.split() for line in matrix.strip().splitlines()]
    for _ in range(int(degrees) // 90 % 4):
        rows = [list(column) for column in zip(*reversed(rows), strict=True)]
    return "\n".join(" ".join(row) for row in rows)


@rule("spiral_matrix", r"list of elements in spiral order\?\n" + ROWS)
def spiral(matrix: str) -> str:
    rows, path = [line.split() for line in matrix.strip().splitlines()], []
    while rows:
        path += rows.pop(0)
        rows = [list(column) for column in zip(*rows, strict=True)][::-1]
    return " ".join(path)
