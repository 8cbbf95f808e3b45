"""Find the real solutions of a polynomial equation."""

import re
from collections import Counter
from fractions import Fraction
from typing import Any

import sympy

from rgenv.tasks import Answer, Answers, Entry, LibraryVerifier, Task, moving, question_numbers
from rgenv.tasks.answers.notation import MAX_CHARS, plain, plain_signs, read_number
from rgenv.tasks.answers.numbers import without_name
from rgenv.tasks.verifying import credit_above

MAX_ROOTS = 100


class Roots(Answer):
    """The solutions of an equation: numbers, each alone or after ``name =``.

    Commas or line ends are between them, and square brackets may be around them.
    """

    name = "list"

    def read(self, text: str, entry: Entry) -> str | None:
        text = plain_signs(text.strip())
        if len(text) > MAX_CHARS:
            return None
        if text[:1] == "[" and text[-1:] == "]":
            text = text[1:-1]
        name = str(entry["metadata"].get("variable", ""))
        pieces = re.split(r"[,\n]", text)
        given = [read_number(without_name(piece.strip(), name)) for piece in pieces[:MAX_ROOTS]]
        values = [plain(number.value) for number in given if number is not None]
        return ", ".join(values) if len(values) == len(pieces) else None


def _coefficients(entry: Entry) -> list[int]:
    """Return the coefficients of, say, "-66*o**2 + 39*o", from the constant term up."""
    expression, name = entry["metadata"]["polynomial_expr"], entry["metadata"]["variable"]
    terms: Counter[int] = Counter()
    for sign, factor, variable, power in re.findall(
        rf"([-+]?) ?(\d*)\*?({name})?(?:\*\*(\d+))?(?= |$)", expression
    ):
        if factor or variable:
            terms[int(power or 1) if variable else 0] += int(f"{sign}{factor or 1}")
    if len(terms) != len(expression.replace("- ", "").replace("+ ", "").split()):
        raise ValueError(expression)
    return [terms[place] for place in range(max(terms) + 1)]


def _value(entry: Entry, x: Fraction) -> Fraction:
    return sum((factor * x**place for place, factor in enumerate(_coefficients(entry))), Fraction())


def _roots(entry: Entry) -> list[Fraction]:
    return [Fraction(root) for root in str(entry["answer"]).split(",") if root.strip()]


ROOT_STEP = Fraction(1, 10_000)
"""The questions ask for four decimal places."""


def correct(entry: Entry) -> Entry | None:
    """Return the entry with all roots, ties rounded up; None if two are equal when rounded.

    sympy misses roots of some cubics. The question wants ties rounded down, which the verifier
    accepts, while most people round them up.
    """
    polynomial = sympy.Poly(_coefficients(entry)[::-1], sympy.Symbol("x"))
    found = _roots(entry)
    if polynomial.count_roots() != len(found):
        exact = polynomial.real_roots(multiple=False)
        found = sorted(Fraction(str(round(float(root), 4))) for root, _ in exact)
    roots = [_up_from_tie(root, entry) for root in found]
    if len({*roots}) < len(roots):
        return None
    if roots == _roots(entry):
        return entry
    return {**entry, "answer": ", ".join(str(float(root)) for root in roots)}


def _up_from_tie(root: Fraction, entry: Entry) -> Fraction:
    """Return the next number from zero if the root before rounding lies half way to it."""
    step = ROOT_STEP if root > 0 else -ROOT_STEP
    return root if _value(entry, root + step / 2) else root + step


MAX_TEXT = 5_000
"""Characters. Right answers have at most 50."""


def verify(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Give credit if more than half of the roots are found; a wrong root counts as another to find.

    The library gives ``0.0`` 0.39 on average, although it is right on only 0.31 of all problems.
    """
    if len(answer) > MAX_TEXT:
        return 0.0
    pieces = [piece for piece in answer.split(",") if piece.strip()]
    given = [number for piece in pieces if (number := read_number(piece))]
    right = _roots(entry)
    if len(given) < len(pieces) or not right:
        return float(pieces == right)
    found = 0
    for number in given:
        root = next((root for root in right if _is_rounded(number.value, root, entry)), None)
        if root is not None:
            right.remove(root)
            found += 1
    return credit_above(found / (len(given) + len(right)))


def _is_rounded(given: Fraction, root: Fraction, entry: Entry) -> bool:
    """Return whether a number is a root to four decimals.

    The question says "rounding down when the 5th decimal place is 5 or greater", so the number next
    to the reference answer on the side of zero counts too, if the root lies between them; and
    either neighbour, if the root lies in the middle.
    """
    if abs(given - root) <= ROOT_STEP / 2:
        return True
    if abs(given - root) != ROOT_STEP:
        return False
    at_given, between, at_root = (_value(entry, x) for x in (given, (given + root) / 2, root))
    return between == 0 or (abs(given) < abs(root) and at_given * at_root < 0)


def solutions(polynomial: Any, name: str, **options: Any) -> list[Any]:
    """Return the real solutions that sympy.solve finds, which also searches for the complex ones.

    Those of irreducible factors of a degree above 2 are left to sympy: it misses some of them.
    """
    variable = sympy.Symbol(name)
    if not polynomial.has(variable):
        return []
    found = []
    _, factors = sympy.factor_list(polynomial, variable)
    for factor, _ in factors:
        coefficients = [int(number) for number in sympy.Poly(factor, variable).all_coeffs()]
        if len(coefficients) > 3:
            return list(sympy.solve(sympy.Eq(polynomial, 0), name, **options))
        found += _exact_roots(*coefficients)
    return found


def _exact_roots(*coefficients: int) -> list[Any]:
    """Return the real roots of an irreducible polynomial of degree 1 or 2."""
    if len(coefficients) == 2:
        return [-sympy.Rational(coefficients[1], coefficients[0])]
    a, b, c = coefficients
    square = b * b - 4 * a * c
    if square < 0:
        return []
    root = sympy.Integer(square) ** sympy.Rational(1, 2)
    return [(-b - root) / (2 * a), (-b + root) / (2 * a)]


def shortcuts(question: str) -> Answers:
    """Name the root of a power."""
    return {"zero": "0.0"}  # .27


TASK = Task(
    answer=Roots(),
    also_right="any order of the roots",
    correct=correct,
    verify=verify,
    shortcuts=shortcuts,
    family=question_numbers,
    # With few terms, most polynomials are a multiple of a power, with the only root 0.
    levels=moving(
        degree=[(1, 1), (1, 2), (2, 2), (2, 3), (3, 3)],
        terms=[(4, 4), (4, 5), (4, 6), (5, 7), (5, 8)],
    ),
    faster={
        "algebra.polynomial_equations:Eq": lambda polynomial, _: polynomial,
        "algebra.polynomial_equations:solve": solutions,
    },
    accepted={"wrong": "the roots may come in any order"},
)
