"""Decrypt a text whose letters were shifted."""

from __future__ import annotations

import string
from functools import cache

from reasoning_gym.data import read_data_file

from rgenv.tasks.answers.texts import Text
from rgenv.tasks.entry import Entry
from rgenv.tasks.record import Levels, Task
from rgenv.tasks.rewriting import SENTENCE_TEXT, random_of
from rgenv.tasks.symmetries import letter_pattern, part_of
from rgenv.tasks.verifying import exact


class Capitals(Text):
    """Words in any case; the question shows the cipher in capitals."""

    name = "text"

    def read(self, text: str, entry: Entry) -> str | None:
        return " ".join(text.upper().split()) or None


def correct(entry: Entry) -> Entry:
    """Return an entry with as many words from any place in the text, with the same rotation.

    The library has 70 sentences of some lengths, so a policy may know them by the lengths of their
    words. It also enciphers "Ë" as if it were "I".
    """
    words, number = _words(), entry["metadata"]["num_words"]
    start = random_of(entry).randrange(len(words) - number + 1)
    clear = " ".join(words[start : start + number])
    upper, rotation = string.ascii_uppercase, entry["metadata"]["rotation"]
    cipher = clear.translate(str.maketrans(upper, upper[rotation:] + upper[:rotation]))
    old = entry["metadata"]["cipher_text"]
    metadata = {**entry["metadata"], "cipher_text": cipher, "clear_text": clear}
    question = entry["question"].replace(f": {old}. ", f": {cipher}. ")
    return {**entry, "question": question, "answer": clear, "metadata": metadata}


@cache
def _words() -> list[str]:
    """Return the words of the text that have letters only, in capital letters."""
    words = read_data_file(SENTENCE_TEXT).split()
    return [word.upper() for word in words if word.isalpha() and word.isascii()]


def family(entry: Entry) -> object:
    """Keep the pattern of each word; ignore rotation of the alphabet, order of the words."""
    return sorted(map(letter_pattern, part_of(r"cipher text: (.*)\. Provide", entry).split()))


TASK = Task(
    answer=Capitals(),
    correct=correct,
    verify=exact,
    family=family,
    # Level 2 of the curriculum asks for rotations above 25.
    levels=Levels(
        knots={
            "min_words": [3, 5, 9, 14, 20],
            "max_words": [5, 8, 14, 20, 30],
            "min_rotation": [1, 1, 2, 3, 5],
            "max_rotation": [13, 16, 19, 21, 21],
        }
    ),
    prepared=("delimiter", "min_words", "max_words"),
)
