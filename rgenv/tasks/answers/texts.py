"""Text that has to be exact, and sentences, of which only the spaces may differ."""

import random

from rgenv.tasks.answers.kind import Answer, Forms
from rgenv.tasks.entry import Entry

_LETTERS = "abcdefghijklmnopqrstuvwxyz"


class Text(Answer):
    """A text that is the same to the letter, but for the spaces around it."""

    name = "word"

    def read(self, text: str, entry: Entry) -> str | None:
        return text.strip()

    def misses(self, reference: str, question: str, rng: random.Random) -> Forms:
        return changed_letters(reference, rng)


class Sentence(Answer):
    """Words, of which the spaces between them say nothing."""

    name = "text"

    def read(self, text: str, entry: Entry) -> str | None:
        return " ".join(text.split()) or None

    def forms(self, reference: str, question: str) -> Forms:
        words = reference.split()
        return {"single spaces": " ".join(words), "two spaces": "  ".join(words)}

    def misses(self, reference: str, question: str, rng: random.Random) -> Forms:
        return changed_words(reference)


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
