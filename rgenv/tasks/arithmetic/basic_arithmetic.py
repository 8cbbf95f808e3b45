"""Calculate an expression with brackets."""

import math

import sympy

from rgenv.tasks import Entry, Number, Task, changed, moving, question_numbers, random_of, replaced
from rgenv.tasks.exact_numbers import bracketed, exact_value
from rgenv.tasks.rewriting import obeys

FEWEST_TERMS, DIVISORS = 4, range(1, 100)
"""The fewest terms, where they are allowed, and the numbers that may divide."""


def correct(entry: Entry) -> Entry | None:
    """Divide exactly; None if the value is a fraction, as the question names no format for it."""
    value = exact_value(entry["metadata"]["expression"])
    return {**entry, "answer": str(value)} if value.denominator == 1 else None


def harden(entry: Entry) -> Entry | None:
    """Draw brackets that matter: without them, .72 of the library's are right, .00 of these."""
    rng, meta, config = random_of(entry), entry["metadata"], entry["config"]
    if config.get("whitespace") == "random" or not config.get("allow_parentheses", True):
        return None
    largest, terms = 10 ** meta["num_digits"] - 1, meta["num_terms"]
    if obeys(entry, terms=FEWEST_TERMS):
        terms = max(FEWEST_TERMS, terms)

    def number(dividend: str) -> str:
        if not dividend:
            return str(rng.randint(-largest, largest))
        value = exact_value(dividend)
        fit = [n for n in DIVISORS if n <= largest and value % n == 0]
        return str(rng.choice(fit[1:-1] or fit))

    expression = bracketed(rng, terms, config.get("operators", "+-*/"), number)
    if expression is None:
        return None
    answer = str(exact_value(expression))
    if " " not in meta["expression"]:
        expression = expression.replace(" ", "")
    question = replaced(entry["question"], meta["expression"], expression)
    return changed(entry, question, answer, expression=expression, num_terms=terms)


def common_divisors(a: int, b: int) -> list[int]:
    """Return the divisors that two numbers have in common: 1 and the largest, then the next two."""
    greatest = math.gcd(a, b)
    divisors = sympy.divisors(greatest) if greatest else []
    pairs = ((small, greatest // small) for small in divisors if small**2 <= greatest)
    return [divisor for pair in pairs for divisor in dict.fromkeys(pair)]


TASK = Task(
    answer=Number(),
    correct=correct,
    harden=harden,
    family=question_numbers,
    levels=moving(terms=[(3, 3), (4, 4), (5, 5), (6, 6), (8, 8)]),
    faster={"arithmetic.basic_arithmetic:find_common_divisors": common_divisors},
)
