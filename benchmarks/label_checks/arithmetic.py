"""Labels of arithmetic tasks, worked out again in exact numbers.

    basic_arithmetic(entry)    # False: the answer to "7 / 2 * 2" is given as 6

Everything is read from the question.
"""

from __future__ import annotations

import itertools
import math
import re
from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction
from typing import Any

from benchmarks.label_checks.exact import Polynomial, value

Entry = dict[str, Any]


def _integers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"-?\d+", text)]


def basic_arithmetic(entry: Entry) -> bool | None:
    """None where the quotient is no whole number, and so no form of the answer is agreed on."""
    expression = re.search(r"-?[\d(][-\d\s+*/()]*", entry["question"])
    if expression is None:
        return None
    try:
        result = value(expression[0])
    except ZeroDivisionError:
        return None
    return bool(result == int(entry["answer"])) if result.denominator == 1 else None


def chain_sum(entry: Entry) -> bool | None:
    return bool(value(entry["question"].split(":")[1].rstrip(" =")) == int(entry["answer"]))


def decimal_chain_sum(entry: Entry) -> bool | None:
    return bool(value(entry["question"].split(":")[1].rstrip(" =")) == Fraction(entry["answer"]))


def products(entry: Entry) -> bool | None:
    return math.prod(_integers(entry["question"])) == int(entry["answer"])


def gcd(entry: Entry) -> bool | None:
    """The greatest of the numbers that divide them all."""
    numbers = _integers(entry["question"])
    answer = int(entry["answer"])
    common = [n for n in range(1, min(numbers) + 1) if all(m % n == 0 for m in numbers)]
    return answer == common[-1]


def lcm(entry: Entry) -> bool | None:
    """Divided by every number, and by no prime factor too many."""
    numbers, answer = _integers(entry["question"]), int(entry["answer"])
    if any(answer % number for number in numbers):
        return False
    primes = _prime_factors(answer)
    return not any(all(answer // p % number == 0 for number in numbers) for p in primes)


def _prime_factors(number: int) -> list[int]:
    factors, factor = [], 2
    while factor * factor <= number:
        while number % factor == 0:
            factors.append(factor)
            number //= factor
        factor += 1
    return factors + [number] * (number > 1)


def prime_factorization(entry: Entry) -> bool | None:
    [number] = _integers(entry["question"].split(".")[0])
    return [int(factor) for factor in entry["answer"].split("×")] == _prime_factors(number)


def count_bits(entry: Entry) -> bool | None:
    number, count = int(entry["question"].split()[-1].rstrip("?")), 0
    while number:
        number, bit = divmod(number, 2)
        count += bit
    return count == int(entry["answer"])


def count_primes(entry: Entry) -> bool | None:
    start, end = _integers(entry["question"])
    sieve = bytearray([1]) * (end + 1)
    sieve[:2] = bytes(min(2, end + 1))
    for number in range(2, math.isqrt(end) + 1):
        if sieve[number]:
            sieve[number * number :: number] = bytes(len(sieve[number * number :: number]))
    return sum(sieve[start:]) == int(entry["answer"])


def base_conversion(entry: Entry) -> bool | None:
    base = r"(?:base-(\d+)|(binary)|(hexadecimal))"
    match = re.search(rf"convert the {base} number (\w+) to {base}", entry["question"])
    if match is None:
        return None
    source, target = (int(a or (b and 2) or 16) for a, b in (match.group(1, 2), match.group(5, 6)))
    if entry["answer"] != entry["answer"].lower():
        return False
    return int(match[4], source) == int(entry["answer"], target)


def bitwise_arithmetic(entry: Entry) -> bool | None:
    expression = entry["question"].split("\n")[-1]
    return bool(value(expression) == int(entry["answer"], 16))


def fraction_simplification(entry: Entry) -> bool | None:
    a, b = (int(n) for n in re.findall(r"\d+", entry["question"]))
    c, d = (int(n) for n in re.findall(r"\d+", entry["answer"]))
    return a * d == b * c and math.gcd(c, d) == 1


def power_function(entry: Entry) -> bool | None:
    """Equal to three figures; None where the fourth decides by less than the label's own error."""
    match = re.search(r"Compute (\S+)\^(-?\d+)\.", entry["question"])
    if match is None:
        return None
    base, power = Fraction(match[1]), int(match[2])
    if not base and power < 0:
        return None
    exact, label = base**power, Fraction(entry["answer"])
    return abs(exact - label) <= abs(exact) / 10**9


def decimal_arithmetic(entry: Entry) -> bool | None:
    """The exact value, rounded once."""
    digits = re.search(r"maximum of (\d+) significant digits", entry["question"])
    if digits is None:
        return None
    try:
        exact = value(entry["question"].split("\n")[-1].split("=")[0])
    except ZeroDivisionError:
        return None
    with localcontext() as context:
        context.prec, context.rounding = int(digits[1]), ROUND_HALF_UP
        return Decimal(exact.numerator) / Decimal(exact.denominator) == Decimal(entry["answer"])


def dice(entry: Entry) -> bool | None:
    """Counts the rolls of each total, die by die."""
    sizes = [int(n) for n in re.findall(r"1d(\d+)", entry["question"].split(".")[0])]
    target = re.search(r"rolling (-?\d+) or higher", entry["question"])
    if target is None:
        return None
    ways = {0: 1}
    for size in sizes:
        longer: dict[int, int] = {}
        for total, count in ways.items():
            for face in range(1, size + 1):
                longer[total + face] = longer.get(total + face, 0) + count
        ways = longer
    chance = Fraction(
        sum(n for total, n in ways.items() if total >= int(target[1])), sum(ways.values())
    )
    return entry["answer"] in (str(chance), f"{chance.numerator}/{chance.denominator}")


def coin_flip(entry: Entry) -> bool | None:
    """By the number of flips that are left, for each number of heads so far."""
    match = re.search(r"(exactly|at least) (\d+) heads in (\d+)", entry["question"])
    if match is None:
        return None
    row = [1]
    for _ in range(int(match[3])):
        row = [a + b for a, b in zip([0, *row], [*row, 0], strict=True)]
    heads = int(match[2])
    good = row[heads] if match[1] == "exactly" else sum(row[heads:])
    exact = Fraction(good, sum(row))
    return abs(exact - Fraction(entry["answer"])) <= exact / 10**9


def complex_arithmetic(entry: Entry) -> bool | None:
    match = re.search(r"\((.*?)\) ([-+×÷]) \((.*?)\)$", entry["question"])
    if match is None:
        return None
    (a, b), (c, d) = _gaussian(match[1]), _gaussian(match[3])
    if match[2] == "÷":
        size = c * c + d * d
        result = (a * c + b * d) / size, (b * c - a * d) / size
    else:
        times = a * c - b * d, a * d + b * c
        result = {"+": (a + c, b + d), "-": (a - c, b - d), "×": times}[match[2]]
    return result == _gaussian(entry["answer"])


def _gaussian(text: str) -> tuple[Fraction, Fraction]:
    parts = {False: Fraction(0), True: Fraction(0)}
    for part in re.findall(r"[-+]?[\d.]+(?:e[-+]\d+)?i?", text.replace(" ", "")):
        parts[part.endswith("i")] += Fraction(part.rstrip("i"))
    return parts[False], parts[True]


def simple_equations(entry: Entry) -> bool | None:
    """None where every value of the variable solves it."""
    match = re.search(
        r"(?:for|of) (\w)(?: in the equation| that satisfies)?: (.*)", entry["question"]
    )
    if match is None:
        return None
    left, right = match[2].split("=")
    x = {match[1]: Polynomial.variable(match[1])}
    difference = Polynomial.of(value(left, x)) - Polynomial.of(value(right, x))
    factors = difference.coefficients()
    if len(factors) != 2:
        return None
    return bool(-factors[0] / factors[1] == Fraction(entry["answer"]))


def polynomial_multiplication(entry: Entry) -> bool | None:
    question = entry["question"].split(":")[1].split("\n")[0]
    names = {name: Polynomial.variable(name) for name in re.findall(r"[a-zA-Z]", question)}
    return Polynomial.of(value(question, names)) == Polynomial.of(value(entry["answer"], names))


def simple_integration(entry: Entry) -> bool | None:
    """The answer's derivative is what was to be integrated."""
    match = re.search(r"∫ (.*) dx", entry["question"])
    name = re.search(r"[a-zA-Z]", (match or [""])[0].removeprefix("∫"))
    if match is None or name is None or entry["answer"][-4:] != " + C":
        return None
    x = {name[0]: Polynomial.variable(name[0])}
    if not set(re.findall(r"[a-zA-Z]", match[1] + entry["answer"][:-4])) <= {name[0]}:
        return None
    answer = Polynomial.of(value(entry["answer"][:-4], x))
    return answer.derivative(name[0]) == Polynomial.of(value(match[1], x))


def polynomial_equations(entry: Entry) -> bool | None:
    """As many roots as Sturm's theorem counts, each with a change of sign or a touch beside it."""
    match = re.search(r"real (?:value\(s\) of )?(\w)[^\n:]*:\s*(.*) = 0", entry["question"])
    if match is None:
        return None
    expression = value(match[2], {match[1]: Polynomial.variable(match[1])})
    factors = Polynomial.of(expression).coefficients()
    if len(factors) < 2:
        return None
    chain = _sturm(factors)
    roots = [Fraction(root) for root in entry["answer"].split(",") if root.strip()]
    bound = 2 + max(abs(f / factors[-1]) for f in factors)
    if _roots_between(chain, -bound, bound) != len(roots):
        return False
    near = Fraction(6, 10**5)
    return all(_roots_between(chain, root - near, root + near) > 0 for root in roots)


def _sturm(factors: list[Fraction]) -> list[list[Fraction]]:
    chain = [factors, [n * f for n, f in enumerate(factors)][1:]]
    while len(chain[-1]) > 1:
        rest = list(chain[-2])
        while len(rest) >= len(chain[-1]):
            ratio, shift = rest[-1] / chain[-1][-1], len(rest) - len(chain[-1])
            for place, factor in enumerate(chain[-1]):
                rest[place + shift] -= ratio * factor
            rest.pop()
        while rest and not rest[-1]:
            rest.pop()
        if not rest:
            break
        chain.append([-f for f in rest])
    return chain


def _roots_between(chain: list[list[Fraction]], low: Fraction, high: Fraction) -> int:
    return _changes(chain, low) - _changes(chain, high)


def _changes(chain: list[list[Fraction]], x: Fraction) -> int:
    values = [sum(f * x**n for n, f in enumerate(factors)) for factors in chain]
    signs = [v > 0 for v in values if v]
    return sum(a != b for a, b in itertools.pairwise(signs))


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


def leg_counting(entry: Entry) -> bool | None:
    """A starfish's arms count as legs, and crabs have their claws counted with them."""
    total = 0
    for number, animal in re.findall(r"(\d+) ([a-z ]+?)(?=,|\?)", entry["question"]):
        legs = [n for n, names in LEGS.items() if animal.removesuffix("s") in names.split("|")]
        legs += [n for n, names in LEGS.items() if animal in names.split("|")]
        total += int(number) * legs[0]
    return total == int(entry["answer"])


def number_format(entry: Entry) -> bool | None:
    """The greatest or least of the numbers as they are written."""
    size, text = re.findall(
        r"pick the (\w+) number of the following candidates: (.*)", entry["question"]
    )[0]
    numbers = [Fraction(number.replace(",", "")) for number in text.split()]
    wanted = max(numbers) if size == "largest" else min(numbers)
    return abs(Fraction(entry["answer"]) - wanted) <= Fraction(1, 10**6)


def simple_geometry(entry: Entry) -> bool | None:
    """By the sum of angles, though what is left may be too much for a convex polygon."""
    angles = [Fraction(angle) for angle in re.findall(r"([\d.]+)°", entry["question"])]
    rest = 180 * (len(angles) - 1) - sum(angles)
    return rest == Fraction(entry["answer"])


def advanced_geometry(entry: Entry) -> bool | None:
    points = re.findall(r"[ABC]\s*=\s*\((-?\d+), (-?\d+)\)", entry["question"])
    a, b, c = (complex(int(x), int(y)) for x, y in points)
    numbers = [float(number) for number in re.findall(r"-?[\d.]+", entry["answer"])]
    question = entry["question"].split("For all geometry")[0]
    if "orthocenter" in question:
        # Seen from the centre of the circle, the three corners add up to it.
        centre = _circumcentre(a, b, c)
        height = a + b + c - 2 * centre
        wanted, close = [height.real, height.imag], 6e-4
    elif "incircle" in question or "inradius" in question or "inscribed" in question:
        sides = abs(a - b) + abs(b - c) + abs(c - a)
        wanted, close = [abs(((b - a).conjugate() * (c - a)).imag) / sides], 6e-4
    elif "angle" in question:
        turn = math.atan2(*reversed([((a - b) / (c - b)).real, ((a - b) / (c - b)).imag]))
        wanted, close = [abs(math.degrees(turn))], 6e-3
    else:
        return None
    return len(numbers) == len(wanted) and all(
        abs(x - y) <= close for x, y in zip(numbers, wanted, strict=True)
    )


def _circumcentre(a: complex, b: complex, c: complex) -> complex:
    b, c = b - a, c - a
    return a + (b * abs(c) ** 2 - c * abs(b) ** 2) / (b * c.conjugate() - b.conjugate() * c)
