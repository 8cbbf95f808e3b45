"""Checks of the arithmetic tasks, by exact arithmetic on the numbers of the question."""

import itertools
import math
import re
from collections import Counter
from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction

import sympy

from tests.labels.shared import Verdict, find, integers, naturals, polynomial, value


def basic_arithmetic(question: str, answer: str) -> Verdict:
    """Evaluate the expression; None if the result is a fraction, which has no agreed format."""
    expression = find(r"-?[\d(][-\d\s+*/()]*", question)[0]
    try:
        result = value(expression)
    except ZeroDivisionError:
        return None
    return result == int(answer) if result.denominator == 1 else None


def _sum(question: str, answer: str) -> Verdict:
    return value(question.split(":")[1].rstrip(" =")) == Fraction(answer)


chain_sum = decimal_chain_sum = _sum


def products(question: str, answer: str) -> Verdict:
    return math.prod(integers(question)) == int(answer)


def gcd(question: str, answer: str) -> Verdict:
    """Test that the answer divides every number, and that the quotients have no common prime."""
    numbers, answer = integers(question), int(answer)
    quotients = [number // answer for number in numbers]
    primes = sympy.primefactors(min(quotients))
    return not any(n % answer for n in numbers) and not any(
        all(quotient % prime == 0 for quotient in quotients) for prime in primes
    )


def lcm(question: str, answer: str) -> Verdict:
    """Test that every number divides the answer, but not the answer without a prime factor."""
    numbers, answer = integers(question), int(answer)
    return not any(answer % number for number in numbers) and not any(
        all(answer // prime % number == 0 for number in numbers)
        for prime in sympy.primefactors(answer)
    )


def prime_factorization(question: str, answer: str) -> Verdict:
    """Multiply the answer, which has to be primes from small to large."""
    [number] = integers(question.split(".")[0])
    factors = [int(factor) for factor in answer.split("×")]
    return math.prod(factors) == number and factors == sorted(filter(sympy.isprime, factors))


def count_bits(question: str, answer: str) -> Verdict:
    return int(question.split()[-1].rstrip("?")).bit_count() == int(answer)


def count_primes(question: str, answer: str) -> Verdict:
    """Let sympy count the primes up to the end and before the start."""
    start, end = integers(question)
    return bool(sympy.primepi(end) - sympy.primepi(start - 1) == int(answer))


def base_conversion(question: str, answer: str) -> Verdict:
    """Compare both numbers as integers; the answer must be in lower case."""
    base = r"(?:base-(\d+)|(binary)|(hexadecimal))"
    match = find(rf"convert the {base} number (\w+) to {base}", question)
    source, target = (int(a or (b and 2) or 16) for a, b in (match.group(1, 2), match.group(5, 6)))
    if answer != answer.lower():
        return False
    return int(match[4], source) == int(answer, target)


def bitwise_arithmetic(question: str, answer: str) -> Verdict:
    return bool(eval(question.split("\n")[-1]) == int(answer, 16))


def fraction_simplification(question: str, answer: str) -> Verdict:
    """Test that both fractions are equal, and the answer is in lowest terms; None for 1/1."""
    (a, b), (c, d) = naturals(question), naturals(answer)
    if a == b:
        return None
    return a * d == b * c and math.gcd(c, d) == 1


def power_function(question: str, answer: str) -> Verdict:
    """Compare with the exact power, to nine digits; None for a power of zero.

    A minus before the base belongs to it, as the added sentence says.
    """
    match = find(r"Compute (\S+)\^(-?\d+)\.", question)
    base, power = Fraction(match[1]), int(match[2])
    if not base:
        return None
    exact = base**power
    return abs(exact - Fraction(answer)) <= abs(exact) / 10**9


def decimal_arithmetic(question: str, answer: str) -> Verdict:
    """Evaluate the expression exactly and round once; None if it divides by zero.

    None, too, if a negative value is in the middle between two: the question says "rounding up".
    """
    digits = find(r"maximum of (\d+) significant digits", question)
    try:
        exact = value(question.split("\n")[-1].split("=")[0])
    except ZeroDivisionError:
        return None
    with localcontext() as context:
        context.prec, context.rounding = int(digits[1]), ROUND_HALF_UP
        rounded = Decimal(exact.numerator) / Decimal(exact.denominator)
    off = abs(Fraction(rounded) - exact)
    if exact < 0 and 2 * off == Fraction(10) ** (rounded.adjusted() + 1 - int(digits[1])):
        return None
    return rounded == Decimal(answer)


def dice(question: str, answer: str) -> Verdict:
    """Count the rolls of each total, one die after the other."""
    sizes = [int(n) for n in re.findall(r"1d(\d+)", question.split(".")[0])]
    target = int(find(r"rolling (-?\d+) or higher", question)[1])
    ways = {0: 1}
    for size in sizes:
        longer = Counter[int]()
        for total, face in itertools.product(ways, range(1, size + 1)):
            longer[total + face] += ways[total]
        ways = longer
    chance = Fraction(sum(n for total, n in ways.items() if total >= target), sum(ways.values()))
    return answer in (str(chance), f"{chance.numerator}/{chance.denominator}")


def coin_flip(question: str, answer: str) -> Verdict:
    """Count the sequences of flips in Pascal's triangle."""
    match = find(r"getting (.*) (?:heads|tails) in (\d+)", question)
    row = [1]
    for _ in range(int(match[2])):
        row = [a + b for a, b in zip([0, *row], [*row, 0], strict=True)]
    chosen = {*range(len(row))}
    for condition in match[1].split(" but "):
        words, number = condition.rsplit(" ", 1)
        low, high = {
            "exactly": (0, 0),
            "at least": (0, math.inf),
            "more than": (1, math.inf),
            "at most": (-math.inf, 0),
            "fewer than": (-math.inf, -1),
        }[words]
        chosen = {n for n in chosen if low <= n - int(number) <= high}
    exact = Fraction(sum(row[n] for n in chosen), sum(row))
    return abs(exact - Fraction(answer)) <= exact / 10**9


def complex_arithmetic(question: str, answer: str) -> Verdict:
    """Compute with pairs of fractions."""
    match = find(r"\((.*?)\) ([-+×÷]) \((.*?)\)$", question)
    (a, b), (c, d) = _parse_complex(match[1]), _parse_complex(match[3])
    if match[2] == "÷":
        size = c * c + d * d
        result = (a * c + b * d) / size, (b * c - a * d) / size
    else:
        times = a * c - b * d, a * d + b * c
        result = {"+": (a + c, b + d), "-": (a - c, b - d), "×": times}[match[2]]
    return result == _parse_complex(answer)


def _parse_complex(text: str) -> tuple[Fraction, Fraction]:
    """Return the real and the imaginary part."""
    parts = {False: Fraction(0), True: Fraction(0)}
    for part in re.findall(r"[-+]?[\d.]+(?:e[-+]\d+)?i?", text.replace(" ", "")):
        parts[part.endswith("i")] += Fraction(part.rstrip("i"))
    return parts[False], parts[True]


def simple_equations(question: str, answer: str) -> Verdict:
    """Solve the equation as a linear one; None if the variable cancels out."""
    match = find(r"(?:for|of) (\w)(?: in the equation| that satisfies)?: (.*)", question)
    left, right = match[2].split("=")
    difference = polynomial(left, match[1]) - polynomial(right, match[1])
    if difference.degree() != 1:
        return None
    return bool(difference.eval(Fraction(answer)) == 0)


def polynomial_multiplication(question: str, answer: str) -> Verdict:
    """Compare both sides multiplied out."""
    question = question.split(":")[1].split("\n")[0]
    names = re.findall(r"[a-zA-Z]", question) or ["x"]
    return bool(polynomial(question, names) == polynomial(answer, names))


def simple_integration(question: str, answer: str) -> Verdict:
    """Test that the answer's derivative is the integrand; None for more than one variable."""
    integrand = find(r"∫ (.*) dx", question)
    name = re.search(r"[a-zA-Z]", integrand[0])
    antiderivative, constant = answer[:-4], answer[-4:]
    if name is None or constant != " + C":
        return None
    if not set(re.findall(r"[a-zA-Z]", integrand[1] + antiderivative)) <= {name[0]}:
        return None
    derivative = polynomial(antiderivative, name[0]).diff()
    return bool(derivative == polynomial(integrand[1], name[0]))


def polynomial_equations(question: str, answer: str) -> Verdict:
    """Test that the answer has as many roots as there are, each with a real root close to it."""
    match = find(r"real (?:value\(s\) of )?(\w)[^\n:]*:\s*(.*) = 0", question)
    found = polynomial(match[2], match[1])
    if found.degree() < 1:
        return None
    roots = [Fraction(root) for root in answer.split(",") if root.strip()]
    if found.count_roots() != len(roots):  # by Sturm's theorem
        return False
    near = Fraction(6, 10**5)
    return all(found.count_roots(root - near, root + near) > 0 for root in roots)


LEGS = {
    0: "snake|sea slug|jellyfish|flatworm|leech",
    2: "chicken|bird|human|duck",
    4: "dog|cat|cow|horse|lion|elephant|giraffe|tiger|deer|sheep",
    5: "starfish",
    6: "insect|ant|butterfly|beetle|bee|wasp|grasshopper|cricket|cockroach|praying mantis|firefly",
    8: "spider|scorpion",
    10: "crab|lobster|shrimp",
    14: "woodlouse",
}


def leg_counting(question: str, answer: str) -> Verdict:
    """Add up the legs, counting a starfish's arms and a crab's claws as the library does."""
    total = 0
    for number, animal in re.findall(r"(\d+) ([a-z ]+?)(?=,|\?)", question):
        legs = [n for n, names in LEGS.items() if animal.removesuffix("s") in names.split("|")]
        legs += [n for n, names in LEGS.items() if animal in names.split("|")]
        total += int(number) * legs[0]
    return total == int(answer)


def number_format(question: str, answer: str) -> Verdict:
    """Find the largest or smallest of the numbers; None if another one is equal, up to noise."""
    match = find(r"pick the (\w+) number of the following candidates: (.*)", question)
    numbers = [Fraction(number.replace(",", "")) for number in match[2].split()]
    wanted = max(numbers) if match[1] == "largest" else min(numbers)
    if sum(abs(number - wanted) <= Fraction(1, 2000) for number in numbers) > 1:
        return None
    return abs(Fraction(answer) - wanted) <= Fraction(1, 10**6)


def simple_geometry(question: str, answer: str) -> Verdict:
    """Compute the last angle from the sum of all; None if no convex polygon has these angles."""
    angles = [Fraction(angle) for angle in re.findall(r"([\d.]+)°", question)]
    last = 180 * (len(angles) - 1) - sum(angles)
    if not all(0 < angle < 180 for angle in (*angles, last)):
        return None
    return last == Fraction(answer)


def advanced_geometry(question: str, answer: str) -> Verdict:
    """Compute the orthocenter, inradius or angle with complex numbers."""
    points = re.findall(r"[ABC]\s*=\s*\((-?\d+), (-?\d+)\)", question)
    a, b, c = (complex(int(x), int(y)) for x, y in points)
    numbers = [float(number) for number in re.findall(r"-?[\d.]+", answer)]
    question = question.split("For all geometry")[0]
    if "orthocenter" in question:
        # Relative to the circumcentre, the orthocenter is the sum of the corners.
        orthocenter = a + b + c - 2 * _circumcentre(a, b, c)
        wanted, tolerance = [orthocenter.real, orthocenter.imag], 6e-4
    elif "incircle" in question or "inradius" in question or "inscribed" in question:
        perimeter = abs(a - b) + abs(b - c) + abs(c - a)
        wanted, tolerance = [abs(((b - a).conjugate() * (c - a)).imag) / perimeter], 6e-4
    elif "angle" in question:
        turn = (a - b) / (c - b)
        wanted, tolerance = [abs(math.degrees(math.atan2(turn.imag, turn.real)))], 6e-3
    else:
        return None
    return len(numbers) == len(wanted) and all(
        abs(x - y) <= tolerance for x, y in zip(numbers, wanted, strict=True)
    )


def _circumcentre(a: complex, b: complex, c: complex) -> complex:
    b, c = b - a, c - a
    return a + (b * abs(c) ** 2 - c * abs(b) ** 2) / (b * c.conjugate() - b.conjugate() * c)
