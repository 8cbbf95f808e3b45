"""Rules for numbers: sums, divisors, equations, fractions, probabilities.

    "State the final answer to the following arithmetic problem: 4 - 1 - 7 ="  ->  "-4"

All computations are exact (`Fraction`). Expressions are parsed, never passed to `eval`.
"""

import ast
import math
import operator
import re
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction

from .table import rule

OPERATORS: dict[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
LEGS = {
    0: "snake, sea slug, jellyfish, flatworm, leech",
    2: "chicken, bird, human, duck",
    4: "dog, cat, cow, horse, lion, elephant, giraffe, tiger, deer, sheep",
    5: "starfish",
    6: "insect, ant, butterfly, beetle, bee, wasp, grasshopper, cricket, cockroach,"
    " praying mantis, firefly",
    8: "spider, scorpion",
    10: "crab, lobster, shrimp",
    14: "woodlouse",
}
LEGS_OF = {animal.strip(): legs for legs, names in LEGS.items() for animal in names.split(",")}


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


@rule("decimal_chain_sum", r"following arithmetic problem: ([\d.\s+-]+) =")
@rule("chain_sum", r"following arithmetic problem: ([\d\s+-]+) =")
@rule("basic_arithmetic", r"\ACalculate ([\d\s.()+*/-]+)\.\s*\Z")
@rule("products", r"following multiplication: ([\d\s*-]+)\.")
@rule("decimal_arithmetic", r"significant digits, rounding up from the half.*\n([\d.()+*/-]+) = \?")
def arithmetic(expression: str) -> str:
    return decimal_text(evaluate(expression))


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


@rule("leg_counting", r"how many legs are there in total if you have (.+)\?")
def leg_counting(animals: str) -> str:
    total = 0
    for count, animal in re.findall(r"(\d+) ([a-z ]+)", animals):
        legs = LEGS_OF[animal] if animal in LEGS_OF else LEGS_OF[animal.removesuffix("s")]
        total += int(count) * legs
    return str(total)


@rule("simple_equations", r"(?:Solve for|the value of) ([a-z])\b.*?: (.+=.+)")
def solve_equation(unknown: str, equation: str) -> str:
    """Solve a linear equation: two values of the left side determine its line."""
    left, right = equation.split("=")
    at_zero = evaluate(left, **{unknown: 0})
    slope = evaluate(left, **{unknown: 1}) - at_zero
    return decimal_text((evaluate(right) - at_zero) / slope)


@rule("simple_geometry", r"convex (?:polygon|\d+-gon)\b.*? angles are: (.+?°)[.?]")
def last_angle(angles: str) -> str:
    known = [Fraction(angle) for angle in re.findall(r"[\d.]+(?=°)", angles)]
    return decimal_text(180 * (len(known) - 1) - sum(known, Fraction()))


@rule("coin_flip", r"getting (exactly|at least) (\d+) heads in (\d+) fair coin flips")
def coin_flip(kind: str, heads: str, flips: str) -> str:
    least, total = int(heads), int(flips)
    wanted = range(least, least + 1 if kind == "exactly" else total + 1)
    return decimal_text(Fraction(sum(math.comb(total, k) for k in wanted), 2**total))
