"""Other forms of words, sentences, roles, statements and intervals of time."""

from __future__ import annotations

import re

from rgenv.validation.form_writers.kind import NUMBER, Forms
from rgenv.validation.form_writers.numbers import integer


def word(reference: str, question: str) -> Forms:
    """A fixed word in any case."""
    return {
        "lower case": reference.lower(),
        "upper case": reference.upper(),
        "capitalized": reference.capitalize(),
    }


def relation(reference: str, question: str) -> Forms:
    """A relation with spaces for hyphens, in any case."""
    return word(reference, question) | {"spaces for hyphens": reference.replace("-", " ")}


def roles(reference: str, question: str) -> Forms:
    """One role a line, with bullets, numbers or colons."""
    pairs = re.findall(r"(\w+) is an? (\w+)", reference)
    said = [f"{name} is {'an' if role[0] in 'aeiou' else 'a'} {role}" for name, role in pairs]
    return {
        "no full stop": reference.removesuffix("."),
        "bullets": "\n".join(f"- {line}" for line in said),
        "numbered": "\n".join(f"{number}. {line}" for number, line in enumerate(said, 1)),
        "lines": "\n".join(said),
        "colons": "\n".join(f"{name}: {role}" for name, role in pairs),
        "colons, commas": ", ".join(f"{name}: {role}" for name, role in pairs),
        "reversed": ", and ".join(said[::-1]) + ".",
        "lower case": reference.lower(),
    }


def interval(reference: str, question: str) -> Forms:
    """Days and times in another case or spacing."""
    forms: Forms = {}
    if "days" in reference:
        forms |= {"capital": reference.replace("days", "Days")}
        forms |= {"one day": "1 day" + reference[6:]} if reference.startswith("1 days") else {}
    if ", " in reference:
        forms["no space after the comma"] = reference.replace(", ", ",")
    return forms


def date_or_count(reference: str, question: str) -> Forms:
    """A weekday, Yes or No in any case, or a number."""
    is_number = NUMBER.fullmatch(reference)
    return integer(reference, question) if is_number else word(reference, question)


def conclusion(reference: str, question: str) -> Forms:
    """A statement with other spaces, with or without outer brackets."""
    forms = {"no spaces": reference.replace(" ", "")}
    if reference.startswith("(") and reference.count("(") == 1:
        forms["no outer brackets"] = reference.strip("()")
    return forms


def sentence(reference: str, question: str) -> Forms:
    """A sentence with other spaces between its words."""
    return {
        "single spaces": " ".join(reference.split()),
        "two spaces": "  ".join(reference.split()),
    }


def capitals(reference: str, question: str) -> Forms:
    """Letters that the question draws, in either case."""
    return {"lower case": reference.lower(), "upper case": reference.upper()}
