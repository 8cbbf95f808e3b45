"""Other forms of moves, paths and points."""

from __future__ import annotations

from rgenv.validation.form_writers.kind import MINUS, Forms
from rgenv.validation.form_writers.lists import json_value, separated
from rgenv.validation.form_writers.words import word


def moves(reference: str, question: str) -> Forms:
    """Moves separated by commas, lines or two spaces."""
    steps = reference.split()
    return {
        "commas": ", ".join(steps),
        "lines": "\n".join(steps),
        "two spaces": "  ".join(steps),
    }


def signed_moves(reference: str, question: str) -> Forms:
    """The moves of cars, also with U+2212."""
    return moves(reference, question) | {"minus sign": reference.replace("-", MINUS)}


def directions(reference: str, question: str) -> Forms:
    """Directions with commas or arrows, or one fixed word, in any case."""
    if len(reference.split()) < 2:
        return word(reference, question)
    listed = separated(of_words=True, arrows=True)(reference, question)
    return listed | {"upper case": reference.upper(), "title case": reference.title()}


def letters(reference: str, question: str) -> Forms:
    """Moves of one letter with spaces or commas between them."""
    return {"spaces": " ".join(reference), "commas": ", ".join(reference)}


def buttons(reference: str, question: str) -> Forms:
    """Buttons with other arrows, commas or spaces between them."""
    pressed = reference.split(" → ")
    return {
        "tight arrows": "→".join(pressed),
        "ASCII arrows": " -> ".join(pressed),
        "commas": ", ".join(pressed),
        "spaces": " ".join(pressed),
        "lines": "\n".join(pressed),
    }


def disk_moves(reference: str, question: str) -> Forms:
    """One move a line, with numbers, bullets, full stops, and other line ends."""
    lines = reference.split("\n")
    numbered = list(enumerate(lines, 1))
    return {
        "numbered": "\n".join(f"{number}. {line}" for number, line in numbered),
        "numbered with brackets": "\n".join(f"{number}) {line}" for number, line in numbered),
        "bullets": "\n".join(f"- {line}" for line in lines),
        "stars": "\n".join(f"* {line}" for line in lines),
        "full stops": "\n".join(f"{line}." for line in lines),
        "CRLF": "\r\n".join(lines),
        "space at line ends": "\n".join(f"{line} " for line in lines),
        "blank lines": "\n\n".join(lines),
        "lower case": reference.lower(),
    }


def coordinate(reference: str, question: str) -> Forms:
    """A point of a board in lower case."""
    return {"lower case": reference.lower()}


def moves_or_no(reference: str, question: str) -> Forms:
    """A list of moves in JSON, or the word No."""
    if reference.startswith("["):
        return json_value(single_quotes=True)(reference, question)
    return word(reference, question)
