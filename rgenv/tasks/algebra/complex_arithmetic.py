"""Add, subtract, multiply or divide complex numbers."""

import re
from fractions import Fraction

from rgenv.tasks import Answer, Entry, Task, moving, question_numbers
from rgenv.tasks.answers.notation import MAX_CHARS, UNSIGNED, plain, plain_signs, read_number

_PART = rf"(?:({UNSIGNED})\s*(?:(?:\*\s*)?([ij]))?|([ij]))"
_COMPLEX = re.compile(rf"([-+]?)\s*{_PART}(?:\s*([-+])\s*{_PART})?", re.ASCII | re.I)
_ADDED_NEGATIVE = re.compile(r"\+\s*(?:-(?=[^-+()]+\Z)|\(-([^-+()]+)\)\Z)")


def _parts(text: str) -> tuple[Fraction, Fraction] | None:
    """Return the real and the imaginary part, or None if `text` is not a complex number."""
    text = plain_signs(text.strip())
    if text.startswith("(") and text.endswith(")"):
        text = text[1:-1].strip()
    match = _COMPLEX.fullmatch(_ADDED_NEGATIVE.sub(lambda term: "-" + (term[1] or ""), text))
    if match is None:
        return None
    parts: dict[bool, Fraction] = {}
    for sign, digits, unit, alone in (match.groups()[:4], match.groups()[4:]):
        if digits is None and alone is None:
            continue
        size = read_number(digits or "1")
        imaginary = bool(unit or alone)
        if size is None or imaginary in parts:
            return None
        parts[imaginary] = -size.value if sign == "-" else size.value
    return parts.get(False, Fraction(0)), parts.get(True, Fraction(0))


class Complex(Answer):
    """A complex number: its parts in any order, with i or j, and without a part that is 0."""

    name = "number"
    longest = MAX_CHARS

    def read(self, text: str, entry: Entry) -> str | None:
        given = _parts(text)
        if given is None:
            return None
        if given == _parts(entry["answer"]):
            return str(entry["answer"])
        real, imaginary = given
        return f"{plain(real)} {'-' if imaginary < 0 else '+'} {plain(abs(imaginary))}i"


def correct(entry: Entry) -> Entry | None:
    """Return the entry; None if floats rounded the numbers of the question or the answer."""
    [(left, sign, right)] = re.findall(r": (\(.*\)) ([-+×÷]) (\(.*\))", entry["question"])
    one, other = _parts(left), _parts(right)
    if one is None or other is None:
        return None
    (a, b), (c, d) = one, other
    size = c * c + d * d
    result = {
        "+": lambda: (a + c, b + d),
        "-": lambda: (a - c, b - d),
        "×": lambda: (a * c - b * d, a * d + b * c),
        "÷": lambda: ((a * c + b * d) / size, (b * c - a * d) / size),
    }[sign]()
    return entry if result == _parts(entry["answer"]) else None


TASK = Task(
    answer=Complex(),
    also_right="either order of the parts",
    correct=correct,
    family=question_numbers,
    # The curriculum moves the size of the numbers by a factor of ten million; here
    # multiplications and divisions replace sums.
    levels=moving(
        real=[(-10, 10), (-20, 20)],
        imag=[(-10, 10), (-20, 20)],
        operations_weights=[
            [0.35, 0.35, 0.3, 0.0],
            [0.3, 0.3, 0.35, 0.05],
            [0.25, 0.2, 0.4, 0.15],
            [0.1, 0.1, 0.4, 0.4],
            [0.0, 0.0, 0.2, 0.8],
        ],
    ),
    accepted={"wrong": "the imaginary part may come first, and the library does not read that"},
)
