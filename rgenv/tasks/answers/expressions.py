"""Formulas: powers and products in any usual sign.

x^2 · 3          x**2 * 3
8 ÷ (3 − 1)      8 / (3 - 1)
log(abs(x))      log((x))
"""

import random
import re

from rgenv.tasks.answers.kind import Answer, Forms
from rgenv.tasks.answers.notation import minus_sign, plain_signs
from rgenv.tasks.entry import Entry

_TIMES = re.compile(r"[×·⋅∙]|\\times|\\cdot")
_OVER = re.compile(r"÷|\\div")
_ARC = re.compile(r"\ba(?:rc|r)(?=(?:sin|cos|tan)h?\b)")
_LOGARITHM_OF_SIZE = re.compile(r"\b(?:log|ln)\s*\(\s*abs\s*\(", re.I)


def _with_stars(text: str) -> str:
    """Return a formula with ASCII signs and ``*`` for products."""
    return _TIMES.sub("*", plain_signs(text))


class Arithmetic(Answer):
    """A formula of the four operations over given numbers, with any of their signs."""

    name = "expression"

    def read(self, text: str, entry: Entry) -> str:
        return _OVER.sub("/", _with_stars(text))

    def forms(self, reference: str, question: str) -> Forms:
        forms = {"no spaces": reference.replace(" ", ""), "brackets": f"({reference})"}
        return forms | minus_sign(reference)

    def misses(self, reference: str, question: str, rng: random.Random) -> Forms:
        number = rng.choice(list(re.finditer(r"\d+", reference)))
        other = str(int(number[0]) + rng.randint(1, 9))
        return {
            "number": reference[: number.start()] + other + reference[number.end() :],
            "added": f"{reference} + {number[0]} - {number[0]}",
            "target": f"({reference}) - 1",
        }


class Expression(Answer):
    """An expression in variables, such as a polynomial.

    In it ``^`` is a power, and products have any sign.
    """

    name = "expression"

    def read(self, text: str, entry: Entry) -> str:
        return _with_stars(text).replace("^", "**")

    def forms(self, reference: str, question: str) -> Forms:
        forms = {"no spaces": reference.replace(" ", "")} | minus_sign(reference)
        first, *others = re.split(r" ([-+]) ", reference)
        signed = [f"- {first[1:]}" if first.startswith("-") else f"+ {first}"]
        signed += [f"{sign} {term}" for sign, term in zip(others[::2], others[1::2], strict=True)]
        if len(signed) > 1 and "(" not in reference:
            head, *rest = signed[::-1]
            forms["reversed"] = " ".join([head.removeprefix("+ ").replace("- ", "-"), *rest])
        return forms

    def misses(self, reference: str, question: str, rng: random.Random) -> Forms:
        return self._with_term("1", reference, rng)

    def _with_term(self, term: str, reference: str, rng: random.Random) -> Forms:
        subtracted = f"{reference} - {rng.randint(2, 9)}*{term}"
        return {"added": f"{reference} + {term}", "subtracted": subtracted}


class Antiderivative(Expression):
    """An expression whose derivative is given.

    Inverse functions may have their full names. ``log(abs(u))`` and ``log(u)`` have the same
    derivative.
    """

    def read(self, text: str, entry: Entry) -> str:
        return _without_sizes(_ARC.sub("a", super().read(text, entry)))

    def misses(self, reference: str, question: str, rng: random.Random) -> Forms:
        variables = set(re.findall(r"\b([A-Za-z])\b", reference)) - {"C", "E"}
        return self._with_term(min(variables), reference, rng) if variables else {}


def _without_sizes(text: str) -> str:
    """Replace each ``log(abs(u))`` by ``log((u))``."""
    closing, pieces, end = _closing(text), [], 0
    for match in _LOGARITHM_OF_SIZE.finditer(text):
        close = closing.get(match.end() - 1, len(text))
        if re.match(r"\s*\)", text[close + 1 : close + 9]):
            pieces.append(text[end : match.start()] + "log((")
            end = match.end()
    return "".join(pieces) + text[end:]


def _closing(text: str) -> dict[int, int]:
    """Return where each bracket closes."""
    found, opened = {}, []
    for bracket in re.finditer(r"[()]", text):
        if bracket[0] == "(":
            opened.append(bracket.start())
        elif opened:
            found[opened.pop()] = bracket.start()
    return found
