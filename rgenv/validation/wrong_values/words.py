"""Wrong words, names, texts, roles, statements and intervals of time."""

from __future__ import annotations

import random
import re

from rgenv.validation.wrong_values.kind import Changer, Changes
from rgenv.validation.wrong_values.numbers import integer

LETTERS = "abcdefghijklmnopqrstuvwxyz"
WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
RELATIONS = """
    father mother son daughter husband wife brother sister grandfather grandmother grandson
    granddaughter uncle aunt nephew niece father-in-law mother-in-law son-in-law daughter-in-law
    brother-in-law sister-in-law great-grandfather great-grandmother great-grandson
    great-granddaughter cousin
""".split()


def one_of(*words: str) -> Changer:
    """Return a changer for answers out of a few fixed words."""

    def change(reference: str, question: str, rng: random.Random) -> Changes:
        others = [word for word in words if word.lower() != reference.lower()]
        return {f"other {number}": word for number, word in enumerate(others[:4], 1)}

    return change


def date_or_count(reference: str, question: str, rng: random.Random) -> Changes:
    """Another weekday, the other of Yes and No, or another number."""
    if re.fullmatch(r"-?\d+", reference):
        return integer(reference, question, rng)
    words = WEEKDAYS if reference in WEEKDAYS else ["Yes", "No"]
    return {"other": rng.choice([word for word in words if word != reference])}


def word_of_question(pattern: str) -> Changer:
    """Return a changer that takes another word of the question, found by `pattern`."""

    def change(reference: str, question: str, rng: random.Random) -> Changes:
        found = sorted(set(re.findall(pattern, question)) - {reference})
        return {f"other {n}": word for n, word in enumerate(rng.sample(found, min(3, len(found))))}

    return change


def names(reference: str, question: str, rng: random.Random) -> Changes:
    """Another of the persons that the puzzle names."""
    listed = re.findall(r"unique name: (.*)", question)
    others = [name for name in re.split(r", ", listed[0]) if name != reference] if listed else []
    return {f"other {number}": name for number, name in enumerate(others, 1)}


def text(reference: str, question: str, rng: random.Random) -> Changes:
    """One letter replaced by another, one left out, one added."""
    places = [place for place, letter in enumerate(reference) if letter.isalnum()]
    if not places:
        return {"added": f"{reference}a"}
    place = rng.choice(places)
    before, old, after = reference[:place], reference[place], reference[place + 1 :]
    new = rng.choice([letter for letter in LETTERS if letter != old.lower()])
    new = new.upper() if old.isupper() else new
    return {
        "replaced": before + new + after,
        "left out": before + after or new,
        "added": before + old + new + after,
    }


def bricks(reference: str, question: str, rng: random.Random) -> Changes:
    """Tokens left out, added or exchanged."""
    tokens = reference.split()
    added = [*tokens, rng.choice(["A#", "#A", "B#", "#B"])]
    changes = {"added": " ".join(added)}
    if len(tokens) > 1:
        changes["left out"] = " ".join(tokens[:-1])
    if tokens != tokens[::-1]:
        changes["reversed"] = " ".join(tokens[::-1])
    return changes


def words(reference: str, question: str, rng: random.Random) -> Changes:
    """Two words exchanged, one replaced, one left out."""
    separator = ", " if ", " in reference else " "
    items = reference.split(separator)
    changes = {"replaced": separator.join(["zzyzx", *items[1:]])}
    if len(items) > 1:
        changes["left out"] = separator.join(items[:-1])
        if items[0] != items[-1]:
            changes["exchanged"] = separator.join([items[-1], *items[1:-1], items[0]])
    return changes


def roles(reference: str, question: str, rng: random.Random) -> Changes:
    """One role exchanged for the other, or all of them."""
    singular, plural = re.findall(r"who is an? (\w+) and who is an? (\w+)\?", question)[0]
    said = re.findall(r"(\w+) is an? (\w+)", reference)
    other = {singular: plural, plural: singular}
    place = rng.randrange(len(said))

    def write(pairs: list[tuple[str, str]]) -> str:
        parts = [f"{name} is {'an' if r[0] in 'aeiou' else 'a'} {r}" for name, r in pairs]
        return ", ".join(parts[:-1]) + f", and {parts[-1]}."

    return {
        "one": write([(n, other[r] if i == place else r) for i, (n, r) in enumerate(said)]),
        "all": write([(name, other[role]) for name, role in said]),
    }


def interval(reference: str, question: str, rng: random.Random) -> Changes:
    """One field of a time or a number of days changed."""
    fields = list(re.finditer(r"\d+", reference))
    field = rng.choice(fields)
    value = (int(field[0]) + rng.randint(1, 20)) % (60 if len(fields) > 1 else 10**6)
    changed = f"{reference[: field.start()]}{value:0{len(field[0])}d}{reference[field.end() :]}"
    return {"field": changed} if changed != reference else {}


def negated(reference: str, question: str, rng: random.Random) -> Changes:
    """The negation of a conclusion, which is false."""
    return {"negation": f"¬({reference})", "contradiction": f"({reference} ∧ ¬{reference})"}
