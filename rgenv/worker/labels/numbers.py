"""Corrections for tasks on numbers and dates, computed again without rounding.

Example::

    basic_arithmetic(entry)    # "7 / 2 * 2" is 7; the library rounds 7 / 2 down and answers 6

Each public function is the correction of one task: it returns the entry, a corrected copy, or None
(see the package). It may raise on a question in another form.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from itertools import pairwise

from rgenv.tasks.entry import Entry

Coefficients = list[Fraction]
"""Of a polynomial, from the constant term up, without zeros at the end."""

OPERATORS: dict[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


def exact(expression: str) -> Fraction:
    """Return the exact value of an expression of decimal numbers, ``+ - * /`` and brackets.

    Raises:
        KeyError, SyntaxError, ValueError: the expression is something else.
        ZeroDivisionError: it divides by zero.
    """
    return _evaluate(ast.parse(expression.strip(), mode="eval").body, expression.strip())


def _evaluate(node: ast.expr, text: str) -> Fraction:
    if isinstance(node, ast.BinOp):
        return OPERATORS[type(node.op)](_evaluate(node.left, text), _evaluate(node.right, text))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_evaluate(node.operand, text)
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return Fraction(ast.get_source_segment(text, node) or "")
    raise ValueError(f"not an arithmetic expression: {text}")


# --- arithmetic ---------------------------------------------------------------------------------


def basic_arithmetic(entry: Entry) -> Entry | None:
    """Divide exactly; None if the result is a fraction, as the question names no format for it."""
    try:
        value = exact(entry["metadata"]["expression"])
    except ZeroDivisionError:
        return None
    return {**entry, "answer": str(value)} if value.denominator == 1 else None


def decimal_chain_sum(entry: Entry) -> Entry | None:
    """Sum all digits; the library uses the decimal precision that another task left behind."""
    value = exact(re.findall(r": (.*) =$", entry["question"])[0])
    if value == Fraction(entry["answer"]):
        return entry
    places = max(len(part) for part in re.findall(r"\.(\d+)", entry["question"]))
    scaled = value * 10**places
    return {**entry, "answer": f"{Decimal(scaled.numerator).scaleb(-places, _context(60)):f}"}


def decimal_arithmetic(entry: Entry) -> Entry | None:
    """Round once, at the end; the library rounds at every step."""
    line = entry["question"].split("\n")[-1]
    digits = int(re.findall(r"maximum of (\d+) significant digits", entry["question"])[0])
    try:
        value = exact(line.removesuffix("= ?"))
    except ZeroDivisionError:
        return None
    rounded = _context(digits).divide(Decimal(value.numerator), Decimal(value.denominator))
    return entry if rounded == Decimal(entry["answer"]) else {**entry, "answer": f"{rounded:f}"}


def _context(digits: int) -> Context:
    return Context(prec=digits, rounding=ROUND_HALF_UP)


def complex_arithmetic(entry: Entry) -> Entry | None:
    """Return the entry; None if floats rounded the numbers of the question or the answer."""
    sign = re.findall(r"\) ([-+×÷]) \(", entry["question"])[0]
    left, right = entry["question"].split(": ")[1].split(f") {sign} (")
    (a, b), (c, d) = _parts(left), _parts(right)
    if sign == "÷":
        size = c * c + d * d
        result = ((a * c + b * d) / size, (b * c - a * d) / size)
    elif sign == "×":
        result = (a * c - b * d, a * d + b * c)
    else:
        result = (a + c, b + d) if sign == "+" else (a - c, b - d)
    return entry if result == _parts(entry["answer"]) else None


def _parts(number: str) -> tuple[Fraction, Fraction]:
    """Return the real and the imaginary part of a text such as "(3.0 - 9.0i"."""
    parts = re.findall(r"([-+]?)\s*(\d[\d.]*(?:e[-+]\d+)?)(i?)", number)
    real, imaginary = (
        sum(Fraction(sign + digits) for sign, digits, unit in parts if bool(unit) == wanted)
        for wanted in (False, True)
    )
    return Fraction(real), Fraction(imaginary)


def power_function(entry: Entry) -> Entry:
    """Apply the sign after the power, as is the convention: -3^2 is -9."""
    base, exponent = re.findall(r"Compute (\S+)\^(-?\d+)\.", entry["question"])[0]
    answer = str(entry["answer"])
    if not base.startswith("-") or int(exponent) % 2 or answer.startswith("-"):
        return entry
    metadata = {**entry["metadata"], "solution": -entry["metadata"]["solution"]}
    return {**entry, "answer": f"-{answer}", "metadata": metadata}


CLEARLY = Fraction(1, 100)
"""Candidates that are nearer to each other are equal to the verifier."""


def number_format(entry: Entry) -> Entry | None:
    """Return the entry; None if another candidate is so near to the right one that it is paid."""
    size, text = re.findall(r"pick the (\w+) number .* candidates: (.*)", entry["question"])[0]
    candidates = sorted(Fraction(number.replace(",", "")) for number in text.split())
    second, first = candidates[-2:] if size == "largest" else candidates[1::-1]
    return entry if abs(first - second) > CLEARLY else None


def number_filtering(entry: Entry) -> Entry | None:
    """Keep the spelling of each number; the library turns "81" into an earlier "81.0"."""
    action, size, bound, numbers = re.findall(
        r"(Keep|Remove) all numbers (larger|smaller) than (\S+) in this list: (\[.*\])",
        entry["question"],
    )[0]
    compare = operator.gt if size == "larger" else operator.lt
    kept = [
        number
        for number in ast.literal_eval(numbers)
        if compare(Fraction(number), Fraction(bound)) == (action == "Keep")
    ]
    if kept == ast.literal_eval(entry["answer"]):
        return entry
    return {**entry, "answer": str(kept), "metadata": {**entry["metadata"], "result": kept}}


# --- equations ----------------------------------------------------------------------------------


def simple_equations(entry: Entry) -> Entry | None:
    """Solve the equation; None if the variable cancels out, or the solution is not whole."""
    left, right = entry["metadata"]["equation"].split("=")
    name = entry["metadata"]["variable"]
    difference = [exact(re.sub(rf"\b{name}\b", f"({x})", f"{left} - ({right})")) for x in (0, 1, 2)]
    slope = difference[1] - difference[0]
    if not slope or difference[2] - difference[1] != slope:
        return None
    solution = -difference[0] / slope
    return {**entry, "answer": str(solution)} if solution.denominator == 1 else None


def polynomial_equations(entry: Entry) -> Entry | None:
    """Return the entry; None if it lacks real roots, as sympy misses them in some cubics.

    Sturm's theorem counts the roots: they are as many as the sign changes that its chain of
    polynomials loses between two bounds.
    """
    terms = _coefficients(entry["metadata"]["polynomial_expr"], entry["metadata"]["variable"])
    chain = [terms, _derivative(terms)]
    while rest := _remainder(chain[-2], chain[-1]):
        chain.append([-factor for factor in rest])
    bound = 1 + max(abs(factor / terms[-1]) for factor in terms)
    roots = [root for root in entry["answer"].split(",") if root.strip()]
    count = _sign_changes(chain, -bound) - _sign_changes(chain, bound)
    return entry if count == len(roots) else None


def _coefficients(expression: str, name: str) -> Coefficients:
    """Return the coefficients of an expression such as "-66*o**2 + 39*o"."""
    terms: dict[int, Fraction] = {}
    for sign, factor, variable, power in re.findall(
        rf"([-+]?) ?(\d*)\*?({name})?(?:\*\*(\d+))?(?= |$)", expression
    ):
        if factor or variable:
            place = int(power or 1) if variable else 0
            terms[place] = terms.get(place, Fraction(0)) + Fraction(f"{sign}{factor or 1}")
    if len(terms) != len(expression.replace("- ", "").replace("+ ", "").split()):
        raise ValueError(expression)
    return [terms.get(place, Fraction(0)) for place in range(max(terms) + 1)]


def _derivative(terms: Coefficients) -> Coefficients:
    return [place * factor for place, factor in enumerate(terms)][1:]


def _remainder(dividend: Coefficients, divisor: Coefficients) -> Coefficients:
    """Return the remainder of a polynomial division; empty if it is zero."""
    rest = list(dividend)
    while len(rest) >= len(divisor):
        ratio = rest[-1] / divisor[-1]
        for place in range(1, len(divisor) + 1):
            rest[-place] -= ratio * divisor[-place]
        while rest and not rest[-1]:
            rest.pop()
    return rest


def _sign_changes(chain: list[Coefficients], x: Fraction) -> int:
    """Return how often the sign changes along the chain of polynomials at `x`."""
    values = [sum(f * x**n for n, f in enumerate(terms)) for terms in chain]
    return sum(a * b < 0 for a, b in pairwise([value for value in values if value]))


# --- dates and times ----------------------------------------------------------------------------

MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
MONTH = rf"(?:{'|'.join(MONTHS)})[a-z]*"
PARTS = [
    (
        rf"\d{{4}}-\d\d-\d\d|\d\d/\d\d/\d{{4}}|{MONTH} \d\d?,? \d{{4}}|\d\d {MONTH} \d{{4}}",
        "2000-01-01",
    ),
    (r"\b\d\d:\d\d(?::\d\d(?:\.\d{3})?)?", "00:00"),
    (r"(?<= )[-+]\d{4}\b", "+0000"),
]
"""Patterns of a date, a time and an offset, each with the default for a question without one."""


def time_intervals(entry: Entry) -> Entry | None:
    """Compute the interval; None if the end is before the start.

    The library loses the time and the time zone after a weekday in brackets, and milliseconds in
    floats.
    """
    question, form = entry["question"], entry["metadata"]["expected_format"]
    parts = [_find_pair(pattern, question, default) for pattern, default in PARTS]
    start, end = (_moment(*each) for each in zip(*parts, strict=True))
    if end < start:
        return None
    span = end - start
    hours, seconds = divmod(span.seconds, 3600)
    if not form.startswith("D"):
        hours += 24 * span.days
    clock = f"{hours:02d}:{seconds // 60:02d}:{seconds % 60:02d}.{span.microseconds // 1000:03d}"
    _, _, time_form = form.rpartition(", ")
    shown = clock[: len(time_form) - 12 or None] if time_form.startswith("HH") else ""
    days = f"{span.days} days" if form.startswith("D") else ""
    return {**entry, "answer": ", ".join(filter(None, (days, shown)))}


def _find_pair(pattern: str, question: str, default: str) -> list[str]:
    """Return the matches for start and end, or the default twice if there are none."""
    found = re.findall(pattern, question)
    if len(found) not in (0, 2):
        raise ValueError(question)
    return found or [default, default]


def _moment(date: str, time: str, zone: str) -> datetime:
    """Return a moment in UTC."""
    numbers = [int(number) for number in re.findall(r"\d+", date)]
    if name := re.search(MONTH, date):
        day, year = numbers
        month = MONTHS.index(name[0][:3]) + 1
    elif "/" in date:
        month, day, year = numbers
    else:
        year, month, day = numbers
    hours, minutes, *seconds = time.split(":")
    offset = timedelta(hours=int(zone[:3]), minutes=int(zone[0] + zone[3:]))
    return (
        datetime(year, month, day)
        + timedelta(hours=int(hours), minutes=int(minutes))
        + timedelta(milliseconds=int(1000 * Fraction(seconds[0] if seconds else "0")))
        - offset
    )


def calendar_arithmetic(entry: Entry) -> Entry | None:
    """Return the entry; None if the last day is before the first, or a leap year is possible.

    The library writes the dates of the next year with this year's number, and takes no year that
    a question leaves open for a leap year.
    """
    question = entry["question"]
    dates = re.findall(rf"({MONTH}) (\d\d?)\b", question)
    if re.search("January 1 fell|first day of the year|is January 1st", question):
        return entry if all(month in ("January", "February") for month, _ in dates) else None
    if "inclusive" in question or "both" in question:
        first, last = ((MONTHS.index(month[:3]), int(day)) for month, day in dates)
        years = set(re.findall(r"\b\d{4}\b", question))
        is_one_year = first <= last and len(years) == 1
        return entry if is_one_year and _are_on_their_weekdays(question, years.pop()) else None
    return entry


def _are_on_their_weekdays(question: str, year: str) -> bool:
    """Return whether each date of a question is on the weekday that stands before it."""
    found = re.findall(rf"([A-Z][a-z]+day), ({MONTH}) (\d\d?)\b", question)
    return all(
        datetime(int(year), MONTHS.index(month[:3]) + 1, int(day)).strftime("%A") == weekday
        for weekday, month, day in found
    )


CERTAIN = 0.9995
"""From this probability on, it rounds to one at three decimals."""


def coin_flip(entry: Entry) -> Entry | None:
    """Return the entry; None if the probability is one, or rounds to one.

    The library asks for at least 0 heads, for example. Three decimals of such an answer say
    nothing.
    """
    return entry if float(entry["answer"]) < CERTAIN else None
