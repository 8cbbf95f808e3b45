"""Rules for tasks of algebra, arithmetic, geometry and probability.

Not shortcuts: to add what a sum asks to add, to divide by a common factor, or to take angles from
the sum of all angles. That is how these problems are solved.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from rgenv.worker.shortcuts.text import after, ints, numbers, shown, tail

Answers = dict[str, str]


def complex_arithmetic(question: str) -> Answers:
    """Copy an operand, or combine the parts one by one."""
    operands = re.findall(r"\(([^()]{1,80})\)", question)
    (a, b), (c, d) = (_parts(operand) for operand in operands[-2:])
    return {
        "copy the first number": operands[-2],
        "copy the second number": operands[-1],
        "multiply part by part": f"{a * c:.1f} {'-' if b * d < 0 else '+'} {abs(b * d):.1f}i",
    }


def _parts(text: str) -> tuple[float, float]:
    real, imaginary = 0.0, 0.0
    for sign, value, unit in re.findall(r"([+-]?)\s*(\d+(?:\.\d+)?)(i?)", text):
        number = float(sign + value)
        real, imaginary = (real, number) if unit else (number, imaginary)
    return real, imaginary


def integration(question: str) -> Answers:
    """Copy the integrand."""
    integrand = question.split("∫", 1)[1].split(" dx", 1)[0].split("\n", 1)[0]
    integrand = re.sub(r" d\w$", "", integrand).strip()
    return {"copy the integrand": f"{integrand} + C", "a constant": "C"}


def polynomial_equations(question: str) -> Answers:
    """Answer with zero, or with a number of the equation."""
    equation = question.split("\n", 2)[1]
    found = [abs(value) for value in numbers(equation)] or [0]
    roots = math.sqrt(found[-2] / found[0]) if len(found) > 1 and found[0] else 0.0
    return {
        "root of a ratio": f"{-roots:.4f}, {roots:.4f}",
        "one and minus one": "-1.0, 1.0",
    }


def polynomial_multiplication(question: str) -> Answers:
    """Copy the expression, with and without parentheses."""
    expression = tail(question.split("\nWhen ", 1)[0])
    return {
        "copy the expression": expression,
        "leave out the parentheses": expression.replace("(", "").replace(")", ""),
    }


def simple_equations(question: str) -> Answers:
    """Divide the right side by the coefficient, and round towards the sign of what is added."""
    left, _, right = question[-1000:].rpartition("=")
    left = left.rpartition(":")[2]
    coefficients = [int(value) for value in re.findall(r"(\d+)\*", left)] or [1]
    total, value = sum(coefficients), int(right)
    variable, constant = re.search(r"-\s*\d+\*", left), re.search(r"-\s*\d+\b(?!\*)", left)
    alike = bool(variable) == bool(constant)
    quotient, step = (value // total, -1) if alike else (-(-value // total), 1)
    if variable:
        quotient, step = (-value // total, -1) if alike else (-(value // total), 1)
    return {
        **{f"divide, off by {by}": str(quotient + by * step) for by in range(4)},
        "the right side": str(value),
        "the largest coefficient": str(max(coefficients)),
    }


def advanced_geometry(question: str) -> Answers:
    """Answer with a vertex, the middle of the triangle or a right angle."""
    points = [(float(x), float(y)) for x, y in re.findall(r"\((-?\d+), (-?\d+)\)", question)]
    middle = [sum(axis) / len(points) for axis in zip(*points, strict=True)]
    return {
        "the middle": f"({middle[0]:.3f}, {middle[1]:.3f})",
        "the first vertex": f"({points[0][0]:.3f}, {points[0][1]:.3f})",
        "a right angle": "90.00°",
        "sixty degrees": "60.00°",
    }


def simple_geometry(question: str) -> Answers:
    """Answer with an angle of the question, or with their mean."""
    angles = [float(value) for value in re.findall(r"(-?\d+(?:\.\d+)?)°", question)]
    return {
        "the last angle": shown(angles[-1]),
        "the mean": shown(round(sum(angles) / len(angles))),
    }


def basic_arithmetic(question: str) -> Answers:
    """Calculate from left to right, or with one operation only."""
    expression = question.split("\n", 1)[0]
    found = numbers(expression)
    answers = {"the first number": shown(found[0]), "the last number": shown(found[-1])}
    # With two numbers, the only operation is the problem.
    if len(found) > 2:
        answers["add all"] = shown(sum(found))
        answers["multiply all"] = shown(math.prod(found[:8]))
        answers["subtract all"] = shown(2 * found[0] - sum(found))
    return answers


def bitwise_arithmetic(question: str) -> Answers:
    """Answer with zero or a number of the question."""
    found = re.findall(r"0x[0-9a-f]+", question.rsplit("\n", 1)[-1])
    return {
        "zero": "0x0",
        "the first number": found[0],
        "the last number": found[-1],
        "the largest number": max(found, key=lambda value: int(value, 16)),
    }


def calendar_arithmetic(question: str) -> Answers:
    """Answer with a word or number of the question, or with a fixed one."""
    days = re.findall(r"\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b", question)
    found = [abs(value) for value in ints(question)]
    answers = {}
    if "a leap year" in question and found[0] % 2:
        answers["an odd year is no leap year"] = "No"
    if days:
        answers["the first weekday"], answers["the last weekday"] = days[0], days[-1]
    if found:
        answers["the first number"] = str(found[0])
        answers["five days a week"] = str(found[-1] * 5 // 7)
    return answers


def sums(question: str) -> Answers:
    """Add all numbers, or subtract all from the first, whatever the signs between them are.

    With two or three numbers these are guesses between two or four possible answers.
    """
    found = re.findall(r"\d+(?:\.\d+)?", tail(question))
    places = max((len(value.partition(".")[2]) for value in found), default=0)
    scaled = [
        int(value.partition(".")[0] + value.partition(".")[2].ljust(places, "0"))
        for value in found
        if len(value) <= 60
    ]
    return {
        "add all": _unscaled(sum(scaled), places),
        "subtract all": _unscaled(2 * scaled[0] - sum(scaled), places),
        "the first number": found[0],
    }


def _unscaled(value: int, places: int) -> str:
    digits = str(abs(value)).rjust(places + 1, "0")
    text = digits[: len(digits) - places] + ("." + digits[len(digits) - places :] if places else "")
    return "-" * (value < 0) + (text.rstrip("0").rstrip(".") if places else text)


def decimal_arithmetic(question: str) -> Answers:
    """Add all numbers, or subtract or multiply them, whatever stands between them."""
    found = numbers(after("\n", question).split("=", 1)[0])
    plain = [abs(value) for value in found]
    return {
        "the first number": shown(found[0]),
        "add all": shown(sum(plain)) if len(plain) > 2 else shown(plain[0]),
        "multiply all": f"{math.prod(plain[:8]):.12g}" if len(plain) > 2 else shown(plain[-1]),
    }


def count_bits(question: str) -> Answers:
    """Count the digits, or ones in the decimal number."""
    (number,) = ints(question)[-1:]
    return {
        "all of the binary digits": str(number.bit_length()),
        "count the digit 1": str(str(number).count("1")),
        "count the decimal digits": str(len(str(number))),
    }


def count_primes(question: str) -> Answers:
    """Count odd numbers, or take a part of the range."""
    low, high = (abs(value) for value in ints(question)[:2])
    size = high - low + 1
    return {
        "a fifth": str(size // 5),
        "a quarter": str(size // 4),
        "odd numbers": str((high + 1) // 2 - low // 2),
        "six to a hundred": str(round(size * 0.06)),
    }


def dice(question: str) -> Answers:
    """Answer with the share of one outcome, or of the higher sums."""
    sides = [int(count) for count in re.findall(r"1d(\d+)", question.split("(", 1)[0])]
    target = int(re.findall(r"rolling (\d+)", question)[0])
    outcomes, top = math.prod(sides), sum(sides)
    above = max(top - target + 1, 0)
    return {
        "one outcome": f"1/{outcomes}",
        "all but one outcome": f"{outcomes - 1}/{outcomes}",
        "a half": "1/2",
        "share of the higher sums": _fraction(above, top - len(sides) + 1),
        "higher sums over outcomes": _fraction(above, outcomes),
    }


def _fraction(above: int, below: int) -> str:
    divisor = math.gcd(above, below) or 1
    return f"{above // divisor}/{below // divisor}"


def fraction_simplification(question: str) -> Answers:
    """Copy the fraction, or divide once by a small number."""
    match = re.search(r"(\$?)\\?(\w*)\{?(\d+)(\}\{|/)(\d+)\}?(\$?)", question)
    if match is None:
        return {}
    whole, above, below = match[0], match[3], match[5]
    answers = {"copy the fraction": whole}
    for divisor in (2, 3, 5, 10):
        if int(above) % divisor == int(below) % divisor == 0:
            halved = whole.replace(below, str(int(below) // divisor))
            halved = halved.replace(above, str(int(above) // divisor), 1)
            answers[f"divide once by {divisor}"] = halved
    if int(above) and int(below) % int(above) == 0:
        answers["one over the ratio"] = whole.replace(below, str(int(below) // int(above))).replace(
            above, "1", 1
        )
    return answers


def gcd(question: str) -> Answers:
    """Answer with the smallest number, a difference, or the largest divisor up to ten."""
    found = [abs(value) for value in ints(question.split(": ", 1)[1])]
    shared = [divisor for divisor in range(10, 1, -1) if not any(v % divisor for v in found)]
    ordered = sorted(found)
    return {
        "the smallest number": str(ordered[0]),
        "the difference of the two smallest": str(ordered[1] - ordered[0]),
        "half of the smallest number": str(ordered[0] // 2),
        **({"the largest divisor up to ten": str(shared[0])} if shared else {}),
    }


_PARTS = {3: "third", 4: "quarter", 5: "fifth", 6: "sixth"}


def lcm(question: str) -> Answers:
    """Answer with the product, a part of it, or the largest number."""
    found = [abs(value) for value in ints(question.split(": ", 1)[1])]
    product, largest = math.prod(found), max(found)
    return {
        "the product": str(product),
        "half of the product": str(product // 2),
        **{f"a {name} of the product": str(product // part) for part, name in _PARTS.items()},
        "the product of the last two": str(math.prod(found[-2:])),
        "the product of the first two": str(math.prod(found[:2])),
        "the product of the first and the last": str(found[0] * found[-1]),
        "of the two largest numbers": str(math.lcm(*sorted(found)[-2:])) if found[2:] else "",
        "the largest number": str(largest),
        "twice the largest number": str(2 * largest),
    }


def leg_counting(question: str) -> Answers:
    """Give every animal the same number of legs."""
    total = sum(ints(question.rsplit("if you have", 1)[1]))
    return {f"{legs} legs each": str(legs * total) for legs in (0, 1, 2, 4, 6, 8)}


def number_format(question: str) -> Answers:
    """Pick any candidate if all are equal."""
    found = [float(value.replace(",", "")) for value in after("candidates: ", question).split()]
    return {"any candidate": repr(found[0])} if len(set(found)) == 1 else {}


def power_function(question: str) -> Answers:
    """Answer with the base, with one, or with the base times the exponent."""
    base, exponent = re.findall(r"Compute (-?[\d.]+)\^(-?\d+)", question)[0]
    return {
        "the base": f"{float(base):.2e}",
        "one": "1.00e+0",
        "zero": "0.00e+0",
        "base times exponent": f"{float(base) * int(exponent):.2e}",
    }


def prime_factorization(question: str) -> Answers:
    """Answer with the number itself, or divide once by a small prime."""
    number = int(re.findall(r"of (\d+)\.", question)[0])
    small = next((prime for prime in (2, 3, 5) if number % prime == 0), 1)
    return {
        "the number itself": str(number),
        "divide once": f"{small} × {number // small}",
        "divide once by two": f"2 × {number // 2}",
    }


def products(question: str) -> Answers:
    """Answer with the sum or with a factor."""
    found = ints(question)
    return {"the sum": str(sum(found)), "the first factor": str(found[0])}


def time_intervals(question: str) -> Answers:
    """Answer with nothing, with a time of the question, or subtract field by field."""
    times = re.findall(r"\d{1,2}(?::\d\d)+(?:\.\d+)?", question)
    answers = {"nothing": "00:00", "zero days": "0 days", "one day": "1 days"}
    if len(times) > 1:
        start, end = ([int(part) for part in time.split(".")[0].split(":")] for time in times[-2:])
        fields = [abs(late - early) for early, late in zip(start, end, strict=False)]
        answers["subtract field by field"] = ":".join(f"{field:02d}" for field in fields)
        answers["the end"] = times[-1]
    dates = [int(day) for day in re.findall(r"\b(\d{1,2})\b(?!:)", question)]
    if len(dates) > 1:
        answers["subtract the days"] = f"{abs(dates[-1] - dates[0])} days"
    return answers


def gsm_symbolic(question: str) -> Answers:
    """Combine a few numbers of the question."""
    found = numbers(question.split(" Give the result", 1)[0])
    first, last = found[0], found[-1]
    return {
        "the first number": shown(first),
        "the last number": shown(last),
        "the largest number": shown(max(found)),
        "add all": shown(sum(found)),
        "multiply all": shown(math.prod(found[:8])),
        "multiply the first two": shown(math.prod(found[:2])),
        "multiply the last two": shown(math.prod(found[-2:])),
        "first less last": shown(first - last),
    }


def coin_flip(question: str) -> Answers:
    """Answer with a half, the ratio of the numbers, or the share of one outcome."""
    hits, flips = ints(question)[:2]
    return {
        "a half": "0.5",
        "the ratio": repr(hits / flips),
        "one outcome": repr(0.5**flips),
        "all but one outcome": repr(1 - 0.5**flips),
        "one kind of outcome": repr(flips * 0.5**flips),
    }


RULES: Mapping[str, Callable[[str], Answers]] = MappingProxyType(
    {
        "advanced_geometry": advanced_geometry,
        "basic_arithmetic": basic_arithmetic,
        "bitwise_arithmetic": bitwise_arithmetic,
        "calendar_arithmetic": calendar_arithmetic,
        "chain_sum": sums,
        "coin_flip": coin_flip,
        "complex_arithmetic": complex_arithmetic,
        "count_bits": count_bits,
        "count_primes": count_primes,
        "decimal_arithmetic": decimal_arithmetic,
        "decimal_chain_sum": sums,
        "dice": dice,
        "fraction_simplification": fraction_simplification,
        "gcd": gcd,
        "gsm_symbolic": gsm_symbolic,
        "intermediate_integration": integration,
        "lcm": lcm,
        "leg_counting": leg_counting,
        "number_format": number_format,
        "polynomial_equations": polynomial_equations,
        "polynomial_multiplication": polynomial_multiplication,
        "power_function": power_function,
        "prime_factorization": prime_factorization,
        "products": products,
        "simple_equations": simple_equations,
        "simple_geometry": simple_geometry,
        "simple_integration": integration,
        "time_intervals": time_intervals,
    }
)
