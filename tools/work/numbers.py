"""Work on numbers: operations, divisions, digits, terms, and the steps of calendar and clock."""

from __future__ import annotations

import math
import re
from datetime import date, datetime
from itertools import accumulate

from rgenv.tasks.entry import Entry


def products(entry: Entry) -> float:
    """Return the products of two digits, if the numbers are multiplied from left to right."""
    numbers = [abs(int(number)) for number in re.findall(r"\d+", entry["metadata"]["expression"])]
    partial = accumulate(numbers, lambda a, b: a * b)
    pairs = zip(partial, numbers[1:], strict=False)
    return float(sum(_digits(left) * _digits(right) for left, right in pairs))


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


def _primes(last: int) -> list[int]:
    """Return the primes up to `last`."""
    primes: list[int] = []
    for number in range(2, last + 1):
        if all(number % prime for prime in primes if prime * prime <= number):
            primes.append(number)
    return primes


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


_REAL_OPERATIONS = {"+": 2.0, "-": 2.0, "*": 6.0, "/": 11.0}
"""Operations on reals that one operation on complex numbers takes."""


def complex_arithmetic(entry: Entry) -> float:
    """Return the operations on reals."""
    return _REAL_OPERATIONS[entry["metadata"]["operation"]]


def simple_equations(entry: Entry) -> float:
    """Return the digits written to subtract the constant and to divide by the coefficient.

    The library adds up all terms, so that every equation has two steps. Only their length differs.
    """
    left, right = entry["metadata"]["equation"].split("=")
    numbers = [len(digits) for digits in re.findall(r"\d+", left)]
    quotient = len(str(entry["answer"]).lstrip("-"))
    return float(
        len(re.findall(r"\d", right)) + max(numbers[1:], default=0) + quotient * numbers[0]
    )


def polynomial_equations(entry: Entry) -> float:
    """Return the square of the degree that is left after x**k is split off, plus the real roots.

    A polynomial in x**2 counts as one of half its degree.
    """
    exponents = _exponents(entry["metadata"]["polynomial_expr"], entry["metadata"]["variable"])
    lowest = min(exponents)
    step = math.gcd(*(exponent - lowest for exponent in exponents)) or 1
    degree = (max(exponents) - lowest) // step
    shortened = (lowest > 0) + (step > 1)
    return float(degree**2 + shortened + len(entry["metadata"]["real_solutions"]))


def polynomial_multiplication(entry: Entry) -> float:
    """Return the products of two terms, if the polynomials are multiplied from left to right."""
    polynomials = re.findall(r"\(([^()]*)\)", entry["metadata"]["polynomial_expr"])
    factors = []
    for polynomial in polynomials:
        name = re.search("[a-z]", polynomial)
        factors.append(set(_exponents(polynomial, name[0] if name else "x")))
    work, partial = 0, factors[0] if factors else set()
    for exponents in factors[1:]:
        work += len(partial) * len(exponents)
        partial = {a + b for a in partial for b in exponents}
    return float(work)


def _exponents(polynomial: str, variable: str) -> list[int]:
    """Return the exponent of each term of a polynomial such as "3*x**2 - x + 1"."""
    terms = re.split(r" [-+] ", polynomial.strip().lstrip("-"))
    powers = [re.search(rf"{variable}(?:\*\*(\d+))?", term) for term in terms]
    return [int(power[1] or 1) if power else 0 for power in powers]


def simple_integration(entry: Entry) -> float:
    """Return the terms to integrate, and one more for each fraction."""
    integrand = entry["metadata"]["integrand"]
    return float(len(re.split(r" [-+] ", integrand)) + integrand.count("/"))


def intermediate_integration(entry: Entry) -> float:
    """Return the rules to apply: substitutions, integrations by parts, powers, constants."""
    integrand = entry["metadata"]["integrand"]
    kind = entry["metadata"]["problem_type"]
    degree = _exponents(integrand.split("*exp")[0], entry["metadata"]["variable"])[0]
    inner = float(bool(re.search(r"(?:sin|cos|tan)\(\d", integrand)))  # a constant to divide by
    if kind in ("linear", "radical"):
        return 2.0  # substitute, raise the power
    if kind == "exponential":
        return 3.0 if "**2" in integrand else 2.0
    if kind == "trigonometric":
        return 2.0 + (")**" in integrand)
    if kind == "log_inverse_trig":
        return 2.0 if "log" in integrand else 4.0 + inner
    if kind == "cyclic":
        return 4.0 if "exp" in integrand else 2.0
    return 1.0 + degree * (1.0 + inner)  # by parts, once for each power of x


_OPERATIONS = {"angle_measure": 16.0, "orthocenter": 21.0, "incircle_radius": 27.0}
"""Operations on reals: two vectors, their product and their lengths; two lines and where they meet;
three lengths and the area."""


def advanced_geometry(entry: Entry) -> float:
    """Return the operations on reals that the wanted figure takes."""
    return _OPERATIONS[entry["metadata"]["task_type"]]


def coin_flip(entry: Entry) -> float:
    """Return the products and quotients of the binomial coefficients, plus their sum.

    "At least k" needs the coefficients from k on, or those below k, each from the one before.
    """
    trials, heads = (int(entry["metadata"][key]) for key in ("num_trials", "k_heads"))
    if entry["metadata"]["problem_type"] == "exact":
        return 1.0 + 2 * min(heads, trials - heads)
    return 1.0 + 3 * min(heads, trials - heads + 1)


def number_sequence(entry: Entry) -> float:
    """Count the operations of the rule."""
    rule = entry["metadata"]["rule"]
    return float(rule.count(" then ") + 1 if rule else 0)
