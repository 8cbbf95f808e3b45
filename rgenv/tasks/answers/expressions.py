"""Formulas: powers and products in any usual sign, also in LaTeX.

x^2 · 3 + 5x²                x**2 * 3 + 5x**2
8 ÷ (3 − 1)                  8 / (3 - 1)
\\frac{1}{2}*\\sin(x)          ((1)/(2))*sin(x)
sin^2(x) + √(x)              sin(x)**2 + sqrt(x)
log(abs(x)), ln|x|           log((x))
"""

import re

from rgenv.tasks.answers.kind import Answer
from rgenv.tasks.answers.notation import SUPERSCRIPTS, plain_signs
from rgenv.tasks.entry import Entry

_TIMES = re.compile(r"[×·⋅∙]|\\times|\\cdot")
_OVER = re.compile(r"÷|\\div")
_ARC = re.compile(r"\ba(?:rc|r)(?=(?:sin|cos|tan)h?\b)")
_POWER = re.compile(r"(?<=[\w)])([⁰¹²³⁴⁵⁶⁷⁸⁹]{1,4})")
_GROUP = r"\{([^{}]*)\}"
_FRACTION = re.compile(rf"\\[dt]?frac\s*{_GROUP}\s*{_GROUP}")
_ROOT = re.compile(rf"\\sqrt\s*{_GROUP}")
_RAISED = re.compile(rf"(\^|\*\*)\s*{_GROUP}")
_BRACKET = re.compile(r"\\(?:left|right)\s*(?=[()|])")
_NAME = re.compile(r"\\(?=(?:arc)?(?:sin|cos|tan)h?\b|(?:sec|csc|cot|exp|log|ln)\b)")
_NESTED = 4
"""Fractions in each other that are read."""
_SIZE_IN_BARS = re.compile(r"\b(?:log|ln)\s*(\(?)\|([^|]*)\|", re.I)
_POWER_OF_FUNCTION = re.compile(
    r"\b(a?(?:sin|cos|tan)h?|sec|csc|cot|log|ln)\s*\*\*\s*(\d{1,2}|\(\d{1,2}\))\s*(?=\()"
)
_LOGARITHM_OF_SIZE = re.compile(r"\b(?:log|ln)\s*\(\s*abs\s*\(", re.I)


def _without_latex(text: str) -> str:
    """Return a formula with brackets and slashes instead of LaTeX's groups and fractions."""
    if "\\" not in text and "{" not in text:
        return text
    text = _NAME.sub("", _BRACKET.sub("", text))
    for _ in range(_NESTED):
        text = _RAISED.sub(r"\1(\2)", _ROOT.sub(r"sqrt(\1)", _FRACTION.sub(r"((\1)/(\2))", text)))
    return text


def _with_stars(text: str) -> str:
    """Return a formula with ASCII signs and ``*`` for products."""
    return _TIMES.sub("*", plain_signs(text))


class Arithmetic(Answer):
    """A formula of the four operations over given numbers, with any of their signs."""

    name = "expression"

    def read(self, text: str, entry: Entry) -> str:
        return _OVER.sub("/", _with_stars(text))


class Expression(Answer):
    """An expression in variables, such as a polynomial.

    In it ``^`` is a power, and products have any sign.
    """

    name = "expression"

    def read(self, text: str, entry: Entry) -> str:
        text = _with_stars(_without_latex(text)).replace("^", "**")
        return _POWER.sub(lambda power: f"**{power[1].translate(SUPERSCRIPTS)}", text)


class Antiderivative(Expression):
    """An expression whose derivative is given.

    Inverse functions may have their full names, and powers of a function stand behind its name.
    ``log(abs(u))``, ``log|u|`` and ``log(u)`` have the same derivative.
    """

    def read(self, text: str, entry: Entry) -> str:
        text = _ARC.sub("a", super().read(text, entry)).replace("√(", "sqrt(")
        return _without_sizes(_powers_last(_SIZE_IN_BARS.sub(r"log\1(\2)", text)))


def _powers_last(text: str) -> str:
    """Replace each ``sin**2(u)`` by ``(sin(u)**2)``."""
    closing, edits = _closing(text), []
    for match in _POWER_OF_FUNCTION.finditer(text):
        close = closing.get(match.end())
        if close is not None:
            edits += [(match.start(), match.start(), "("), (match.end(1), match.end(), "")]
            edits.append((close + 1, close + 1, f"**{match[2]})"))
    pieces, done = [], 0
    for start, end, new in sorted(edits, key=lambda edit: (edit[0], edit[2] == "(")):
        pieces += [text[done:start], new]
        done = end
    return "".join(pieces) + text[done:]


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
