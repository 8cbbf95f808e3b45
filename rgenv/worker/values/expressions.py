"""Read formulas: powers and products in any usual sign, complex numbers, factors, roots, logic.

    x^2 · 3            x**2 * 3
    6 - 4*i, 6-4j      6.0 - 4.0i
    2^2 x 5            2 × 2 × 5
    log(abs(x))        log((x))
    P & ~Q, \\lnot Q    P ∧ ¬Q

Only signs are replaced here; verifiers compute with what comes out. None of this runs a text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType

from rgenv.worker.entry import Entry
from rgenv.worker.values.kind import Kind
from rgenv.worker.values.notation import (
    MAX_CHARS,
    UNSIGNED,
    plain,
    plain_signs,
    read_number,
)
from rgenv.worker.values.numbers import without_name

MAX_FORMULA = 16_384
MAX_FACTORS = 300
MAX_ROOTS = 100

_TIMES = re.compile(r"[×·⋅∙]|\\times|\\cdot")
_OVER = re.compile(r"÷|\\div")
_SUPERSCRIPT = re.compile(r"(?<=\d)[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")


def formula(text: str, entry: Entry) -> str | None:
    """Read a formula in which ``^`` is a power, and products may have other signs than ``*``."""
    if len(text) > MAX_FORMULA:
        return None
    text = _TIMES.sub("*", plain_signs(text))
    return text.replace("^", "**")


_ARC = re.compile(r"\ba(?:rc|r)(?=(?:sin|cos|tan)h?\b)")
_LOGARITHM_OF_SIZE = re.compile(r"\b(?:log|ln)\s*\(\s*abs\s*\(", re.I)
_DECIMAL_POWER = re.compile(r"\*\*\s*(?:\(\s*(-?\d{1,6}\.\d{1,6})\s*\)|(-?\d{1,6}\.\d{1,6}))")


def antiderivative(text: str, entry: Entry) -> str | None:
    """Read a formula with inverse functions by their full names, and with log(abs(...)).

    ``log(abs(u))`` and ``log(u)`` have the same derivative.
    """
    found = formula(text, entry)
    if found is None:
        return None
    found = _DECIMAL_POWER.sub(lambda power: f"**({Fraction(power[1] or power[2])})", found)
    return _without_sizes(_ARC.sub("a", found))


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


def arithmetic(text: str, entry: Entry) -> str | None:
    """Read a formula of the four operations."""
    if len(text) > MAX_FORMULA:
        return None
    return _OVER.sub("/", _TIMES.sub("*", plain_signs(text)))


# --- complex numbers ----------------------------------------------------------------------------

_PART = rf"(?:({UNSIGNED})\s*(?:(?:\*\s*)?([ij]))?|([ij]))"
_COMPLEX = re.compile(rf"([-+]?)\s*{_PART}(?:\s*([-+])\s*{_PART})?", re.ASCII | re.I)


def complex_number(text: str, entry: Entry) -> str | None:
    """Read a complex number: its parts in any order, with i or j, and without a part that is 0."""
    given, right = _complex_value(text), _complex_value(str(entry["answer"]))
    if given is None:
        return None
    if given == right:
        return str(entry["answer"])
    real, imaginary = given
    return f"{plain(real)} {'-' if imaginary < 0 else '+'} {plain(abs(imaginary))}i"


def _complex_value(text: str) -> tuple[Fraction, Fraction] | None:
    """Return the real and the imaginary part, or None if `text` is no complex number."""
    text = plain_signs(text.strip())
    if text.startswith("(") and text.endswith(")"):
        text = text[1:-1].strip()
    match = _COMPLEX.fullmatch(text) if len(text) <= MAX_CHARS else None
    if match is None:
        return None
    parts: dict[bool, Fraction] = {}
    for sign, digits, unit, alone in (match.groups()[:4], match.groups()[4:]):
        if digits is None and alone is None:
            continue
        size = read_number(digits) if digits else read_number("1")
        imaginary = bool(unit or alone)
        if size is None or imaginary in parts:
            return None
        parts[imaginary] = -size.value if sign == "-" else size.value
    return parts.get(False, Fraction(0)), parts.get(True, Fraction(0))


# --- factors and roots --------------------------------------------------------------------------

_FACTOR_SIGN = re.compile(r"[×x*·⋅∙]|\\times|\\cdot", re.I)
_FACTOR = re.compile(r"([\d,]{1,300})(?:\s*\^\s*(?:\{\s*(\d{1,3})\s*\}|(\d{1,3})))?", re.ASCII)


def factors(text: str, entry: Entry) -> str | None:
    """Read a product of whole numbers and their powers, as a product without powers."""
    if len(text) > MAX_FORMULA:
        return None
    text = _SUPERSCRIPT.sub(
        lambda found: "^" + found[0].translate(_SUPERSCRIPTS), plain_signs(text)
    )
    pieces = _FACTOR_SIGN.split(text.replace("**", "^"))
    product: list[str] = []
    for piece in pieces[: MAX_FACTORS + 1]:
        match = _FACTOR.fullmatch(piece.strip())
        base = read_number(match[1]) if match else None
        power = int(match[2] or match[3] or 1) if match else 0
        if base is None or not 1 <= power <= MAX_FACTORS - len(product):
            return None
        product += [plain(base.value)] * power
    return " × ".join(product)


def roots(text: str, entry: Entry) -> str | None:
    """Read the solutions of an equation: numbers, each of which may follow ``name =``."""
    text = plain_signs(text.strip())
    if len(text) > MAX_CHARS:
        return None
    name = str(entry["metadata"].get("variable", ""))
    if text[:1] == "[" and text[-1:] == "]":
        text = text[1:-1]
    pieces = re.split(r"[,\n]", text)
    given = [read_number(without_name(piece.strip(), name)) for piece in pieces[: MAX_ROOTS + 1]]
    if len(given) > MAX_ROOTS:
        return None
    values = [number.value for number in given if number is not None]
    return ", ".join(map(plain, values)) if len(values) == len(given) else None


# --- logic --------------------------------------------------------------------------------------

_SPELLINGS = {
    "↔": r"<-> <=> <--> <==> ⇔ ⟷ ⟺ ≡ \leftrightarrow \Leftrightarrow \longleftrightarrow \iff IFF",
    "→": r"-> => --> ==> ⇒ ⟶ ⟹ \rightarrow \Rightarrow \longrightarrow \to \implies IMPLIES",
    "∧": r"& && /\ ⋀ \land \wedge AND",
    "∨": r"| || \/ ⋁ \lor \vee OR",
    "¬": r"~ ! \lnot \neg NOT",
}
"""Connective -> its other spellings. A word may have any case."""
_CONNECTIVE_OF = {
    spelling.lower(): sign for sign, row in _SPELLINGS.items() for spelling in row.split()
}
_CONNECTIVE = re.compile(
    r"\\[a-z]+|\b[a-z]{2,}\b|"
    + "|".join(
        re.escape(spelling)
        for spelling in sorted(_CONNECTIVE_OF, key=len, reverse=True)
        if not spelling[-1].isalpha()
    ),
    re.I,
)


def conclusion(text: str, entry: Entry) -> str | None:
    """Read a formula of propositional logic with the connectives of ASCII, LaTeX or words."""
    if len(text) > MAX_CHARS:
        return None
    return _CONNECTIVE.sub(lambda found: _CONNECTIVE_OF.get(found[0].lower(), found[0]), text)


KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "complex_arithmetic": complex_number,
        "countdown": arithmetic,
        "intermediate_integration": antiderivative,
        "polynomial_equations": roots,
        "polynomial_multiplication": formula,
        "prime_factorization": factors,
        "propositional_logic": conclusion,
        "puzzle24": arithmetic,
        "simple_integration": antiderivative,
    }
)
