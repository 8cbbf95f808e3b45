"""Find the real solutions of a polynomial equation."""

import random
import re
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

import sympy

from rgenv.tasks import (
    Answer,
    Entry,
    Forms,
    LibraryVerifier,
    Task,
    changed,
    moving,
    question_numbers,
    random_of,
    replaced,
)
from rgenv.tasks.answers.notation import (
    MAX_CHARS,
    SHORT_NUMBER,
    full_width,
    minus_sign,
    plain,
    plain_signs,
    read_number,
)
from rgenv.tasks.answers.numbers import assignments, without_name
from rgenv.tasks.verifying import credit_above_half

MAX_ROOTS = 100


class Roots(Answer):
    """The solutions of an equation: numbers, each of which may follow ``name =``.

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

    def forms(self, reference: str, question: str) -> Forms:
        values = reference.split(", ")
        if not all(map(SHORT_NUMBER.fullmatch, values)):
            return assignments(reference, question)
        padded = [f"{float(value):.4f}" for value in values]
        forms = {
            "four decimals": ", ".join(padded),
            "no zeros": ", ".join(value.rstrip("0").rstrip(".") for value in padded),
        } | full_width(reference)
        if len(values) > 1:
            forms |= {
                "reversed": ", ".join(values[::-1]),
                "no spaces": ",".join(values),
                "JSON": f"[{reference}]",
                "lines": "\n".join(values),
            }
        return forms | minus_sign(reference) | assignments(reference, question)

    def misses(self, reference: str, question: str, rng: random.Random) -> Forms:
        values = [float(value) for value in reference.split(",") if value.strip()]
        if not values:
            return {"one root": f"{rng.randint(1, 99) / 10}"}
        moved = [*values]
        moved[rng.randrange(len(values))] += rng.choice([-1, 1]) * rng.randint(1, 400) / 100
        changes = {"moved": moved, "added": [*values, max(values) + rng.randint(1, 9)]}
        if len(values) > 1:
            changes["left out"] = values[1:]
        return {
            name: ", ".join(str(round(value, 4)) for value in changed)
            for name, changed in changes.items()
            if sorted(changed) != sorted(values)
        }


def _coefficients(entry: Entry) -> list[int]:
    """Return those of a polynomial such as "-66*o**2 + 39*o", from the constant term up."""
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


def _roots(entry: Entry) -> list[Fraction]:
    return [Fraction(root) for root in str(entry["answer"]).split(",") if root.strip()]


ONE_ROOT_SHARE = 0.15
"""The share of equations that may have one real root although their degree allows for more. Without
a choice, most cubics have one, and whoever stops at the first root is right."""
TRIES = 50
"""Polynomials to draw. Of cubics, one in five has several real roots."""
BISECTIONS = 40
"""Steps to a root. All are within 100 or so of 0, and four decimals are asked for."""


def correct(entry: Entry) -> Entry | None:
    """Replace the polynomial by one with a constant and as many other terms as the settings allow.

    The library draws the same power several times, so that most of its polynomials have two terms
    and need no more than one division, and one root. The greatest of three degrees is taken, as
    linear equations are the easiest. None if rounded roots coincide.
    """
    rng, meta = random_of(entry), entry["metadata"]
    degree = max(rng.randint(*meta["difficulty"]["degree"]) for _ in range(3))
    without = max(0, degree + 1 - max(2, meta["difficulty"]["terms"][1]))
    most = max(map(abs, _coefficients(entry)))
    may_have_one = degree == 1 or rng.random() < ONE_ROOT_SHARE
    for _ in range(TRIES):
        factors = [rng.choice((-1, 1)) * rng.randint(1, most) for _ in range(degree + 1)]
        for place in rng.sample(range(1, degree), without):
            factors[place] = 0
        roots = sorted({round(root, 4) + 0.0 for root in _real_roots(factors)})
        if len(roots) > 1 or (roots and may_have_one):
            break
    polynomial = sympy.Poly(factors[::-1], sympy.Symbol(meta["variable"]))
    if polynomial.count_roots() != len(roots):
        return None
    expression = _written(factors, meta["variable"])
    question = replaced(
        entry["question"], f"{meta['polynomial_expr']} = 0\n", f"{expression} = 0\n"
    )
    return changed(
        entry,
        question,
        ", ".join(map(str, roots)),
        polynomial_expr=expression,
        real_solutions=roots,
        degree=degree,
        num_terms=degree + 1 - without,
    )


def _written(factors: Sequence[int], name: str) -> str:
    """Write a polynomial like ``-66*o**2 + o - 39``."""
    powers = ["", f"*{name}", *(f"*{name}**{power}" for power in range(2, len(factors)))]
    terms = (
        f"{'-' if factor < 0 else '+'} {f'{abs(factor)}{power}'.removeprefix('1*')}"
        for factor, power in zip(factors, powers, strict=True)
        if factor
    )
    sign, text = " ".join([*terms][::-1]).split(" ", 1)
    return text if sign == "+" else f"-{text}"


def _real_roots(factors: Sequence[float]) -> list[float]:
    """Return the real roots of a polynomial, whose factors begin with the constant term.

    Between the roots of its derivative, it only rises or only falls.
    """
    if len(factors) == 2:
        return [-factors[0] / factors[1]]

    def value(x: float) -> float:
        total = 0.0
        for factor in falling:
            total = total * x + factor
        return total

    falling = factors[::-1]
    bound = 1 + max(map(abs, factors)) / abs(factors[-1])
    slope = [place * factor for place, factor in enumerate(factors)][1:]
    found = []
    for low, high in pairwise([-bound, *_real_roots(slope), bound]):
        rises = value(high) > 0
        if (value(low) > 0) == rises:
            continue
        for _ in range(BISECTIONS):
            middle = (low + high) / 2
            low, high = (low, middle) if (value(middle) > 0) == rises else (middle, high)
        found.append(low)
    return found


ROOT_STEP = Fraction(1, 10_000)
"""The questions ask for four decimal places."""
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
    return credit_above_half(found / (len(given) + len(right)))


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
    at_given, between, at_root = (
        sum(factor * x**place for place, factor in enumerate(_coefficients(entry)))
        for x in (given, (given + root) / 2, root)
    )
    return between == 0 or (abs(given) < abs(root) and at_given * at_root < 0)


TASK = Task(
    answer=Roots(),
    correct=correct,
    verify=verify,
    family=question_numbers,
    levels=moving(
        degree=[(1, 1), (1, 2), (2, 2), (2, 3), (3, 3)],
        terms=[(4, 4), (4, 5), (4, 6), (5, 7), (5, 8)],
    ),
    # `correct` draws another polynomial, so the library's is not solved.
    constructs={
        "algebra.polynomial_equations:Eq": lambda *_: None,
        "algebra.polynomial_equations:solve": lambda *_, **__: [sympy.S.Zero],
    },
    accepted={"wrong": "the roots may come in any order"},
)
