"""Rules for tasks of algebra, arithmetic and probability.

Not shortcuts: to add what a sum asks to add, or to divide by a common factor. That is how these
problems are solved.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from rgenv.worker.shortcuts.text import after, ints, numbers, shown, tail

Answers = dict[str, str]


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
        **{f"divide, off by {by}": str(quotient + by * step) for by in range(4)},  # .51 .30 .13 .06
        "the largest coefficient": str(max(coefficients)),  # .06
    }


def basic_arithmetic(question: str) -> Answers:
    """Calculate with one operation only, or answer with a number."""
    expression = question.split("\n", 1)[0]
    found = numbers(expression)
    answers = {
        "the first number": shown(found[0]),  # .07
        "the last number": shown(found[-1]),  # .07
    }
    # With two numbers, the only operation is the problem.
    if len(found) > 2:
        answers["add all"] = shown(sum(found))  # .09
        answers["multiply all"] = shown(math.prod(found[:8]))  # .13
        answers["subtract all"] = shown(2 * found[0] - sum(found))  # .08
    return answers


def calendar_arithmetic(question: str) -> Answers:
    """Answer with a weekday of the question, or go by the last digit of a year."""
    days = re.findall(r"\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b", question)
    answers = {}
    if "a leap year" in question and ints(question)[0] % 2:
        answers["an odd year is no leap year"] = "No"  # .17
    if days:
        answers["the first weekday"] = days[0]  # .13
        answers["the last weekday"] = days[-1]  # .14
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
        "add all": _unscaled(sum(scaled), places),  # .19
        "subtract all": _unscaled(2 * scaled[0] - sum(scaled), places),  # .25
        "the first number": found[0],  # .04
    }


def _unscaled(value: int, places: int) -> str:
    digits = str(abs(value)).rjust(places + 1, "0")
    text = digits[: len(digits) - places] + ("." + digits[len(digits) - places :] if places else "")
    return "-" * (value < 0) + (text.rstrip("0").rstrip(".") if places else text)


def decimal_arithmetic(question: str) -> Answers:
    """Add all numbers, whatever stands between them."""
    found = numbers(after("\n", question).split("=", 1)[0])
    plain = [abs(value) for value in found]
    return {"add all": shown(sum(plain)) if len(plain) > 2 else shown(plain[0])}  # .04


def count_bits(question: str) -> Answers:
    """Count the decimal digits."""
    return {"count the decimal digits": str(len(str(ints(question)[-1])))}  # .14


def count_primes(question: str) -> Answers:
    """Take a part of the range."""
    low, high = (abs(value) for value in ints(question)[:2])
    size = high - low + 1
    return {
        "a fifth": str(size // 5),  # .10
        "a quarter": str(size // 4),  # .05
    }


def dice(question: str) -> Answers:
    """Answer with a half."""
    return {"a half": "1/2"}  # .03


def fraction_simplification(question: str) -> Answers:
    """Divide once by a small number."""
    match = re.search(r"(\$?)\\?(\w*)\{?(\d+)(\}\{|/)(\d+)\}?(\$?)", question)
    if match is None:
        return {}
    whole, above, below = match[0], match[3], match[5]
    answers = {}
    for divisor in (2, 3, 5):  # .08 .06 .08
        if int(above) % divisor == int(below) % divisor == 0:
            halved = whole.replace(below, str(int(below) // divisor))
            halved = halved.replace(above, str(int(above) // divisor), 1)
            answers[f"divide once by {divisor}"] = halved
    return answers


def gcd(question: str) -> Answers:
    """Answer with the smallest number, a difference, or the largest divisor up to ten."""
    found = [abs(value) for value in ints(question.split(": ", 1)[1])]
    shared = [divisor for divisor in range(10, 1, -1) if not any(v % divisor for v in found)]
    ordered = sorted(found)
    return {
        "the smallest number": str(ordered[0]),  # .12
        "the difference of the two smallest": str(ordered[1] - ordered[0]),  # .14
        "half of the smallest number": str(ordered[0] // 2),  # .07
        **({"the largest divisor up to ten": str(shared[0])} if shared else {}),  # .03
    }


_PARTS = {3: "third", 4: "quarter", 5: "fifth", 6: "sixth"}


def lcm(question: str) -> Answers:
    """Answer with the product, a part of it, or the largest number."""
    found = [abs(value) for value in ints(question.split(": ", 1)[1])]
    product, largest = math.prod(found), max(found)
    two_largest = str(math.lcm(*sorted(found)[-2:])) if found[2:] else ""
    parts = {f"a {name} of the product": str(product // part) for part, name in _PARTS.items()}
    return {
        "the product": str(product),  # .22
        "half of the product": str(product // 2),  # .29
        **parts,  # .13 .11 .05 .06
        "the product of the last two": str(math.prod(found[-2:])),  # .22
        "the product of the first two": str(math.prod(found[:2])),  # .22
        "the product of the first and the last": str(found[0] * found[-1]),  # .22
        "of the two largest numbers": two_largest,  # .27
        "the largest number": str(largest),  # .15
        "twice the largest number": str(2 * largest),  # .06
    }


def leg_counting(question: str) -> Answers:
    """Give every animal the same number of legs."""
    total = sum(ints(question.rsplit("if you have", 1)[1]))
    return {f"{legs} legs each": str(legs * total) for legs in (4, 6)}  # .04 .05


def power_function(question: str) -> Answers:
    """Answer with the base, or with one."""
    base = re.findall(r"Compute (-?[\d.]+)\^", question)[0]
    return {
        "the base": f"{float(base):.2e}",  # .06
        "one": "1.00e+0",  # .06
    }


def prime_factorization(question: str) -> Answers:
    """Answer with the number itself, or divide once by a small prime."""
    number = int(re.findall(r"of (\d+)\.", question)[0])
    small = next((prime for prime in (2, 3, 5) if number % prime == 0), 1)
    return {
        "the number itself": str(number),  # .21
        "divide once": f"{small} × {number // small}",  # .26
    }


def products(question: str) -> Answers:
    """Answer with a factor."""
    return {"the first factor": str(ints(question)[0])}  # .09


def time_intervals(question: str) -> Answers:
    """Subtract field by field."""
    times = re.findall(r"\d{1,2}(?::\d\d)+(?:\.\d+)?", question)
    start, end = ([int(part) for part in time.split(".")[0].split(":")] for time in times[-2:])
    fields = [abs(late - early) for early, late in zip(start, end, strict=False)]
    return {"subtract field by field": ":".join(f"{field:02d}" for field in fields)}  # .36


def coin_flip(question: str) -> Answers:
    """Answer with a half, or with the share of one outcome."""
    flips = ints(question)[1]
    return {
        "a half": "0.5",  # .04
        "one outcome": repr(0.5**flips),  # .18
        "all but one outcome": repr(1 - 0.5**flips),  # .06
        "one kind of outcome": repr(flips * 0.5**flips),  # .14
    }


RULES: Mapping[str, Callable[[str], Answers]] = MappingProxyType(
    {
        "basic_arithmetic": basic_arithmetic,
        "calendar_arithmetic": calendar_arithmetic,
        "chain_sum": sums,
        "coin_flip": coin_flip,
        "count_bits": count_bits,
        "count_primes": count_primes,
        "decimal_arithmetic": decimal_arithmetic,
        "decimal_chain_sum": sums,
        "dice": dice,
        "fraction_simplification": fraction_simplification,
        "gcd": gcd,
        "lcm": lcm,
        "leg_counting": leg_counting,
        "power_function": power_function,
        "prime_factorization": prime_factorization,
        "products": products,
        "simple_equations": simple_equations,
        "time_intervals": time_intervals,
    }
)
