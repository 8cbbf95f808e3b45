"""Work in arithmetic: operations, divisions, digits, and the steps of calendar and clock.

Example::

    gcd(entry)    # 7.0 for a question on 57 and 87, after five divisions and two more checks

Sums and products count what is done on paper: an operation on two numbers, or on two digits where
a longer multiplication is the only thing that can make a problem deeper.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from datetime import date, datetime
from itertools import accumulate

from rgenv.tasks.entry import Entry

LARGEST_NUMBER = 10**10
"""The work of problems with larger numbers is unknown where it counts primes."""

# --- expressions --------------------------------------------------------------------------------


def operations(entry: Entry) -> float:
    """Return the number of operators between two numbers in the question's expression."""
    expression = entry["metadata"].get("expression") or entry["question"].split("\n")[-1]
    return float(len(re.findall(r"[\d)]\s*[-+*/]", expression)))


def bitwise_arithmetic(entry: Entry) -> float:
    """Return the number of operations in the nested expression."""
    return float(len(re.findall(r" (?:<<|>>|[-+*/&|^]) ", entry["metadata"]["problem"])))


def products(entry: Entry) -> float:
    """Return the products of two digits, if the numbers are multiplied from left to right."""
    numbers = [abs(int(number)) for number in re.findall(r"\d+", entry["metadata"]["expression"])]
    partial = accumulate(numbers, lambda a, b: a * b)
    pairs = zip(partial, numbers[1:], strict=False)
    return float(sum(_digits(left) * _digits(right) for left, right in pairs))


def leg_counting(entry: Entry) -> float:
    """Return the number of products and sums: two for each kind of animal, less one."""
    return 2.0 * len(entry["metadata"]["animals"]) - 1


def power_function(entry: Entry) -> float:
    """Return the number of multiplications, and one more for a reciprocal."""
    exponent = int(entry["metadata"]["exponent"])
    return float(max(abs(exponent) - 1, 0) + (exponent < 0))


def dice(entry: Entry) -> float:
    """Return the additions that count the ways to reach each sum, die by die."""
    sides = [int(size) for size in re.findall(r"1d(\d+)", entry["metadata"]["puzzle"]["dice_str"])]
    work, sums = 0, 1
    for count, size in enumerate(sorted(sides)):
        work += sums * size if count else 0
        sums += size - 1
    return float(work)


def _digits(number: int) -> int:
    """Return the number of decimal digits of a number below 10**4000."""
    return len(str(number))


# --- divisors -----------------------------------------------------------------------------------


def euclid_steps(a: int, b: int) -> int:
    """Return the number of divisions in Euclid's algorithm."""
    steps = 0
    while b:
        a, b = b, a % b
        steps += 1
    return steps


def gcd(entry: Entry) -> float:
    """Return the divisions of Euclid's algorithm, taking one number after the other."""
    numbers = entry["metadata"]["numbers"]
    partial = accumulate(numbers, math.gcd)
    pairs = zip(partial, numbers[1:], strict=False)
    return float(sum(euclid_steps(*pair) for pair in pairs))


def lcm(entry: Entry) -> float:
    """Return the number of prime factors of all numbers, which make up the least multiple."""
    return float(sum(len(_prime_factors(number)) for number in entry["metadata"]["numbers"]))


def prime_factorization(entry: Entry) -> float:
    """Return the primes that are tried, plus the factors that are found."""
    number = entry["metadata"]["number"]
    return float(_primes_tried(number) + len(_prime_factors(number)))


def fraction_simplification(entry: Entry) -> float:
    """Return the divisions of Euclid's algorithm, and two to reduce the fraction."""
    metadata = entry["metadata"]
    return float(euclid_steps(metadata["numerator"], metadata["denominator"]) + 2)


def count_primes(entry: Entry) -> float:
    """Return the numbers that a sieve crosses out, counted once for each prime."""
    start, end = entry["metadata"]["start"], entry["metadata"]["end"]
    return float(sum(end // p - (start - 1) // p for p in _primes(math.isqrt(end))))


def _prime_factors(number: int) -> list[int]:
    _require_moderate(number)
    factors, divisor = [], 2
    while divisor * divisor <= number:
        while number % divisor == 0:
            factors.append(divisor)
            number //= divisor
        divisor += 1
    return [*factors, number] if number > 1 else factors


def _primes_tried(number: int) -> int:
    """Return how many primes are tried until the rest is known to be 1 or a prime."""
    tried = 0
    for prime in _primes(math.isqrt(number)):
        if prime * prime > number:
            break
        tried += 1
        while number % prime == 0:
            number //= prime
    return tried


def _require_moderate(number: int) -> None:
    """Raise ValueError for a number whose factors would take seconds to find."""
    if number > LARGEST_NUMBER:
        raise ValueError(f"{number} is too large to be factored")


def _primes(last: int) -> list[int]:
    """Return the primes up to `last`."""
    _require_moderate(last * last)
    primes: list[int] = []
    for number in range(2, last + 1):
        if all(number % prime for prime in primes if prime * prime <= number):
            primes.append(number)
    return primes


# --- digits -------------------------------------------------------------------------------------


def count_bits(entry: Entry) -> float:
    """Return the number of halvings that turn the number into bits."""
    return float(int(entry["metadata"]["number"]).bit_length())


def base_conversion(entry: Entry) -> float:
    """Return the digits read and written, and one more for each that is a letter."""
    texts = entry["metadata"]["source_repr"] + entry["metadata"]["target_repr"]
    return float(len(texts) + sum(character.isalpha() for character in texts))


def number_format(entry: Entry) -> float:
    """Return the digits compared until each candidate differs from the chosen one."""
    best, *others = sorted(
        (round(abs(value), 3) for value in entry["metadata"]["candidates"]),
        key=lambda value: abs(value - abs(float(entry["answer"]))),
    )
    return float(sum(_digits_compared(best, other) for other in others))


def _digits_compared(a: float, b: float) -> int:
    """Return how many digits have to be read to tell two numbers of three decimals apart."""
    left, right = f"{a:020.3f}", f"{b:020.3f}"
    shared = next((i for i, (x, y) in enumerate(zip(left, right, strict=False)) if x != y), 20)
    first = min((i for i, x in enumerate(left) if x not in "0."), default=0)
    return max(shared - first, 0) + 1


# --- days and times -----------------------------------------------------------------------------

_FIND_WEEKDAY = 5
"""Steps to a weekday from a date alone: century, year, leap years, month, day."""


def calendar_arithmetic(entry: Entry) -> float:
    """Return the steps of a calculation by hand: divisions by seven, months crossed, checks."""
    metadata = entry["metadata"]
    match metadata["task"]:
        case "is_leap_year":
            return 1.0 if metadata["year"] % 4 else 2.0 if metadata["year"] % 100 else 3.0
        case "weekday_offset":
            return 2.0  # divide by seven, count on
        case "weekday_of_date_from_first_date":
            return 3.0 + _months(metadata["year"], 1, metadata["target_date"])
        case "weekday_of_date":
            return _FIND_WEEKDAY + 2.0
        case "recurring_event_day":
            return _FIND_WEEKDAY + 4.0  # to the first of the month, to the weekday, to the week
        case "count_days" | "count_business_days":
            start = date.fromisoformat(metadata["start_date"])
            crossed = _months(start.year, start.month, metadata["end_date"])
            weekends = 3.0 if metadata["task"] == "count_business_days" else 0.0
            return 4.0 + crossed + weekends
    raise ValueError(metadata["task"])


def _months(year: int, month: int, last: str) -> int:
    """Return how many ends of a month lie between the month and the day `last`."""
    end = date.fromisoformat(last)
    return 12 * (end.year - year) + end.month - month


def time_intervals(entry: Entry) -> float:
    """Return the fields subtracted, the borrows, the months and years crossed, and the zones."""
    metadata = entry["metadata"]
    form = metadata["format"]
    start, end = (datetime.fromisoformat(metadata[key]) for key in ("start_time", "end_time"))
    fields = [
        (directive, getattr(start, name), getattr(end, name))
        for directive, name in (
            ("%f", "microsecond"),
            ("%S", "second"),
            ("%M", "minute"),
            ("%H", "hour"),
            ("%d", "day"),
        )
        if directive in form
    ]
    borrows = sum(last < first for _, first, last in fields)
    years = end.year - start.year
    months = (end.month - start.month) % 12 if "%d" in form else 0
    zones = 0 if "%z" not in form else 1 + (start.utcoffset() != end.utcoffset())
    return float(len(fields) + borrows + 2 * min(years, 6) + months + 2 * zones)


PROXIES: Mapping[str, Callable[[Entry], float]] = {
    "base_conversion": base_conversion,
    "basic_arithmetic": operations,
    "bitwise_arithmetic": bitwise_arithmetic,
    "calendar_arithmetic": calendar_arithmetic,
    "chain_sum": operations,
    "count_bits": count_bits,
    "count_primes": count_primes,
    "decimal_arithmetic": operations,
    "decimal_chain_sum": operations,
    "dice": dice,
    "fraction_simplification": fraction_simplification,
    "gcd": gcd,
    "lcm": lcm,
    "leg_counting": leg_counting,
    "number_format": number_format,
    "power_function": power_function,
    "prime_factorization": prime_factorization,
    "products": products,
    "time_intervals": time_intervals,
}
