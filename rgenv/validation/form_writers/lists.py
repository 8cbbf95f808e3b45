"""Other forms of lists, JSON values and assignments."""

from __future__ import annotations

import json
import re
from typing import Any

from rgenv.validation.form_writers.kind import MINUS, Forms, Writer


def separated(*, of_words: bool, arrows: bool = False) -> Writer:
    """Return a writer for a list of items separated by spaces or by commas.

    Args:
        of_words: the items are words; otherwise they are numbers.
        arrows: the items are steps of a path.
    """

    def write(reference: str, question: str) -> Forms:
        items = [item for item in re.split(r"[,\s→]+", reference) if item]
        values: list[Any] = items if of_words else [int(item) for item in items]
        forms = {
            "commas": ", ".join(items),
            "commas without spaces": ",".join(items),
            "lines": "\n".join(items),
            "lines with CRLF": "\r\n".join(items),
            "JSON": json.dumps(values),
            "JSON without spaces": json.dumps(values, separators=(",", ":")),
            "Python": str(values),
            "JSON on lines": json.dumps(values, indent=2),
        }
        if "," not in reference:
            forms |= {"two spaces": "  ".join(items), "tabs": "\t".join(items)}
        if arrows:
            forms |= {"arrows": " → ".join(items), "ASCII arrows": " -> ".join(items)}
        return forms if items else {}

    return write


def bracketed(reference: str, question: str) -> Forms:
    """A list in brackets with other quotes and spaces, without brackets, or on lines."""
    quoted = "'" in reference
    items = [item.strip(" '\"") for item in reference.strip("[]").split(",")]
    if items == [""]:
        return {"space inside": "[ ]"}
    shown = [f"'{item}'" if quoted else item for item in items]
    forms = {
        "no spaces": f"[{','.join(shown)}]",
        "space inside": f"[ {', '.join(shown)} ]",
        "brackets on lines": "[\n  " + ",\n  ".join(shown) + "\n]",
        "no quotes": f"[{', '.join(items)}]",
        "double quotes": "[" + ", ".join(f'"{item}"' for item in items) + "]",
    }
    if len(items) > 1:  # one item without brackets is not a list
        forms |= {"no brackets": ", ".join(items), "lines": "\n".join(items)}
    if "-" in reference:
        forms["minus sign"] = reference.replace("-", MINUS)
    return forms


def shortened_numbers(reference: str, question: str) -> Forms:
    """Sorted numbers without zeros at the end."""
    items = [item.strip(" '") for item in reference.strip("[]").split(",")]
    short = [f"{item}0".rstrip("0").rstrip(".") if "." in item else item for item in items]
    return {"no zeros at the end": str(short)}


def json_value(*, single_quotes: bool = False, any_order: bool = False) -> Writer:
    """Return a writer of JSON with other spaces, and Python's quotes or another order."""

    def write(reference: str, question: str) -> Forms:
        try:
            value = json.loads(reference)
        except ValueError:
            return {}
        forms = {
            "no spaces": json.dumps(value, separators=(",", ":")),
            "pretty": json.dumps(value, indent=2),
            "spaces": json.dumps(value, separators=(" , ", " : ")),
        }
        if single_quotes:
            forms["single quotes"] = str(value)
        if any_order and isinstance(value, list):
            forms["reversed"] = json.dumps(value[::-1])
        if isinstance(value, dict) and len(value) > 1:
            forms["reversed keys"] = json.dumps(dict(reversed(value.items())))
        return forms

    return write


def mapping(reference: str, question: str) -> Forms:
    """``A=1,B=2`` with other spaces and in another order."""
    pairs = reference.split(",")
    return {
        "spaces": ", ".join(pairs),
        "spaces around =": ", ".join(pair.replace("=", " = ") for pair in pairs),
        "reversed": ",".join(pairs[::-1]),
        "lines": "\n".join(pairs),
    }
