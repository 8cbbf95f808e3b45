"""Write a number as a product of primes."""

import math
import re

import sympy

from rgenv.tasks import Answer, Entry, LibraryVerifier, Task, moving, question_numbers
from rgenv.tasks.answers.notation import SUPERSCRIPTS, plain, plain_signs, read_number
from rgenv.tasks.limits import max_digits
from rgenv.tasks.rewriting import changed, random_of, replaced

LIBRARY_SHARE, MAX_TRIES = 1 / 6, 200
"""The share of problems whose number is still the library's, often a prime; numbers to try."""
MAX_VALUE = 10**9
"""Of larger numbers, several take too long to factor."""
_MAX_FACTORS = 300
_SIGN = re.compile(r"[×x*·⋅∙]|\\times|\\cdot", re.I)
_FACTOR = re.compile(r"([\d,]{1,300})(?:\s*\^\s*(?:\{\s*(\d{1,3})\s*\}|(\d{1,3})))?", re.ASCII)
_SUPERSCRIPT = re.compile(r"(?<=\d)[⁰¹²³⁴⁵⁶⁷⁸⁹]+")


class Factors(Answer):
    """A product of whole numbers and their powers, with any sign: ``2^2 x 5``."""

    name = "list"

    def read(self, text: str, entry: Entry) -> str | None:
        text = _SUPERSCRIPT.sub(
            lambda found: "^" + found[0].translate(SUPERSCRIPTS), plain_signs(text)
        )
        pieces = _SIGN.split(text.replace("**", "^"))
        product: list[str] = []
        for piece in pieces[: _MAX_FACTORS + 1]:
            match = _FACTOR.fullmatch(piece.strip())
            base = read_number(match[1]) if match else None
            power = int(match[2] or match[3] or 1) if match else 0
            if base is None or not 1 <= power <= _MAX_FACTORS - len(product):
                return None
            product += [plain(base.value)] * power
        return " × ".join(product)


def harden(entry: Entry) -> Entry | None:
    """Ask large factors: 2, 3 and 5 are enough for .83 of the library's numbers, for .14 of these.

    The largest factor but one is at least a drawn number, so that no list of primes is enough.
    """
    rng, meta = random_of(entry), entry["metadata"]
    low, high = meta["difficulty"]["value"]
    if high > MAX_VALUE:
        return None
    if rng.random() < LIBRARY_SHARE:
        return entry
    for _ in range(MAX_TRIES):
        least, number = rng.randint(6, max(6, math.isqrt(high) // 2)), rng.randint(low, high)
        factors = sympy.factorint(number, multiple=True)
        if len(factors) > 1 and factors[-2] >= least:
            question = replaced(entry["question"], f"of {meta['number']}.", f"of {number}.")
            answer = " × ".join(map(str, factors))
            return changed(entry, question, answer, number=number, factors=factors)
    return None


def verify(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Give credit below 0.5 for a right factorization whose factors are not all prime.

    The library gives 0.605 on average to the number itself.
    """
    right = [int(factor) for factor in str(entry["answer"]).split("×")]
    pieces = [piece.strip() for piece in answer.split("×")]
    if len(pieces) > len(right) or not all(re.fullmatch(r"[1-9][0-9]{0,299}", p) for p in pieces):
        return 0.0
    given = [int(piece) for piece in pieces]
    if sorted(given) == sorted(right):
        return 1.0
    if math.prod(given) != math.prod(right) or 1 in given:
        return 0.0
    return 0.5 * (len(given) - 1) / (len(right) - 1)


def _too_many_factors(answer: str) -> str | None:
    found = answer.count("×")
    return f"{found} times ×" if found > 1_000 else None


TASK = Task(
    answer=Factors(),
    also_right="any order of the factors",
    harden=harden,
    verify=verify,
    limits=(_too_many_factors, max_digits(300)),
    family=question_numbers,
    # The trial divisions grow with the root of the number.
    levels=moving(value=[(4, 500), (300, 2000), (2000, 8000), (8000, 30000), (30000, 100000)]),
)
