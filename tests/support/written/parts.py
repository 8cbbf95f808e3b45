"""Forms of numbers, lists and grids, and changes of them, that several kinds have."""

import json
import random
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from rgenv.tasks.answers.grids import Rows, spaced
from tests.support.written.base import Forms


def fraction_forms(top: int, bottom: int) -> Forms:
    """Return a fraction with and without spaces, and in LaTeX; it is not reduced."""
    if bottom == 1:
        return {"whole": str(top)}
    return {
        "fraction": f"{top}/{bottom}",
        "fraction with spaces": f"{top} / {bottom}",
        "LaTeX fraction": f"\\frac{{{top}}}{{{bottom}}}",
        "LaTeX fraction in dollars": f"$\\frac{{{top}}}{{{bottom}}}$",
        "LaTeX dfrac": f"\\dfrac{{{top}}}{{{bottom}}}",
        "LaTeX fraction in brackets": f"\\(\\frac{{{top}}}{{{bottom}}}\\)",
    }


def split_rows(text: str) -> Rows:
    """Return the cells of a grid as the library writes it."""
    return [line.split() for line in text.split("\n")]


def spaced_forms(reference: str) -> Forms:
    """Return rows with other spaces and line ends, with commas, and as JSON."""
    found = split_rows(reference)
    values = [[json.loads(c) if SHORT_NUMBER.fullmatch(c) else c for c in row] for row in found]
    return {
        "space at line ends": "\n".join(" ".join(row) + " " for row in found),
        "CRLF": "\r\n".join(map(" ".join, found)),
        "tabs": spaced(found, "\t"),
        "two spaces": spaced(found, "  "),
        "commas": spaced(found, ", "),
        "commas without spaces": spaced(found, ","),
        "line break at the end": spaced(found) + "\n",
        "JSON": json.dumps(values),
        "JSON without spaces": json.dumps(values, separators=(",", ":")),
        "JSON on lines": "[" + ",\n ".join(map(json.dumps, values)) + "]",
    }


def separated_forms(
    reference: str, convert: Callable[[str], Any] = str, *, arrows: bool = False
) -> Forms:
    """Return forms of a list; `convert` makes of an item what JSON has of it.

    Args:
        arrows: whether the items are steps of a path.
    """
    found = [item for item in re.split(r"[,\s→]+", reference) if item]
    values = [convert(item) for item in found]
    forms = {
        "commas": ", ".join(found),
        "commas without spaces": ",".join(found),
        "lines": "\n".join(found),
        "lines with CRLF": "\r\n".join(found),
        "comma behind the last": ", ".join(found) + ",",
        "numbers in brackets": "\n".join(f"({n}) {item}" for n, item in enumerate(found, 1)),
        "bold numbers": "\n".join(f"**{n}.** {item}" for n, item in enumerate(found, 1)),
        "JSON": json.dumps(values),
        "JSON without spaces": json.dumps(values, separators=(",", ":")),
        "Python": str(values),
        "JSON on lines": json.dumps(values, indent=2),
    }
    if "," not in reference:
        forms |= {"two spaces": "  ".join(found), "tabs": "\t".join(found)}
    if arrows:
        forms |= {"arrows": " → ".join(found), "ASCII arrows": " -> ".join(found)}
    return forms if found else {}


def changed_numbers(
    values: list[str], write: Callable[[list[str]], str], rng: random.Random
) -> Forms:
    """Return lists of numbers with one added, changed or left out, or two exchanged."""
    changes = {"added": [*values, "7"]}
    if values:
        place = rng.randrange(len(values))
        other = str(Decimal(values[place]) + rng.randint(1, 9))
        changes["changed"] = [*values[:place], other, *values[place + 1 :]]
        changes["left out"] = values[:place] + values[place + 1 :]
        if Decimal(values[0]) != Decimal(values[-1]):
            changes["exchanged"] = [values[-1], *values[1:-1], values[0]]
    return {name: write(changed) for name, changed in changes.items()}


MINUS = "\N{MINUS SIGN}"


_FULL_WIDTH = str.maketrans("0123456789", "".join(chr(0xFF10 + digit) for digit in range(10)))


SHORT_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
"""Pattern of an integer or a decimal as the library writes it."""


def full_width(text: str) -> dict[str, str]:
    """Return the form of `text` with full-width digits."""
    return {"full-width digits": text.translate(_FULL_WIDTH)}


def minus_sign(text: str) -> dict[str, str]:
    """Return the form of `text` with U+2212; none if it has no minus."""
    return {"minus sign": text.replace("-", MINUS)} if "-" in text else {}


def signs_and_digits(number: str) -> dict[str, str]:
    """Return forms with full-width digits, and with another sign or one more."""
    if number.startswith("-"):
        return full_width(number) | minus_sign(number)
    return full_width(number) | ({"plus": f"+{number}"} if number.strip("0.") else {})


def near_decimals(reference: str, rng: random.Random) -> Forms:
    """Return a number with one of its first three digits changed, another sign or magnitude."""
    value = Decimal(reference)
    step = Decimal(1).scaleb(value.adjusted() - 2 if value else -1)
    changes = {
        "third digit": f"{value + rng.randint(2, 9) * step:f}",
        "first digit": f"{value + rng.randint(1, 8) * 100 * step:f}",
        "ten times": f"{value * 10 if value else Decimal('1.5'):f}",
    }
    return changes | ({"sign": f"{-value:f}"} if value else {})


def assignments(reference: str, question: str) -> Forms:
    """Return ``x = 5`` where the question asks for one variable, in several spacings."""
    asked = re.search(
        r"(?:Solve for|value of|[Ss]olve the polynomial equation for real|for real) ([a-z])\b",
        question,
    )
    if not asked or "," in reference:
        return {}
    name = asked[1]
    return {
        "assignment": f"{name} = {reference}",
        "tight assignment": f"{name}={reference}",
        "label": f"{name}: {reference}",
        "assignment in LaTeX": f"${name} = {reference}$",
    }


_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def changed_letters(reference: str, rng: random.Random) -> Forms:
    """Return a text with one letter replaced by another, one left out, one added."""
    places = [place for place, letter in enumerate(reference) if letter.isalnum()]
    if not places:
        return {"added": f"{reference}a"}
    place = rng.choice(places)
    before, old, after = reference[:place], reference[place], reference[place + 1 :]
    new = rng.choice([letter for letter in _LETTERS if letter != old.lower()])
    new = new.upper() if old.isupper() else new
    return {
        "replaced": before + new + after,
        "left out": before + after or new,
        "added": before + old + new + after,
    }


def changed_words(reference: str) -> Forms:
    """Return words, separated by commas or spaces, with two exchanged, one replaced or left out."""
    separator = ", " if ", " in reference else " "
    words = reference.split(separator)
    changes = {"replaced": separator.join(["zzyzx", *words[1:]])}
    if len(words) > 1:
        changes["left out"] = separator.join(words[:-1])
        if words[0] != words[-1]:
            changes["exchanged"] = separator.join([words[-1], *words[1:-1], words[0]])
    return changes


def compact_json(value: object) -> str:
    """Write a value as JSON without spaces."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def with_term(kind, term: str, reference: str, rng: random.Random) -> Forms:
    subtracted = f"{reference} - {rng.randint(2, 9)}*{term}"
    return {"added": f"{reference} + {term}", "subtracted": subtracted}


def other_cell(kind, cell: str, rng: random.Random) -> str:
    if re.fullmatch(r"-?\d+\.\d+|-?\d{2,}", cell):
        return str(Decimal(cell) + rng.randint(1, 9))
    return rng.choice([symbol for symbol in kind.symbols if symbol != cell])


def items(reference: str) -> tuple[list[str], list[str]]:
    """Return the numbers of a list as the library writes it, without quotes and with them."""
    shown = [item.strip() for item in reference.strip("[]").split(",") if item.strip()]
    return [item.strip("'\"") for item in shown], shown
