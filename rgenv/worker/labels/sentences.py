"""Corrections for sentences and words: shuffled, enciphered, or drawn with characters.

Example::

    sentence_reordering(entry)    # "the cat and the dog", where the library says "the the cat ..."
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

from reasoning_gym.data import read_data_file

from rgenv.worker.entry import Entry

Words = tuple[str, ...]


def sentence_reordering(entry: Entry) -> Entry | None:
    """Return the entry with the sentence of the text.

    None if another sentence has the same words, or if the question shows them in order. The library
    sorts the words by their first place in the sentence, which moves a word that occurs twice next
    to its first occurrence.
    """
    words = entry["answer"].split()
    if entry["question"].endswith(f": {entry['answer']}"):
        return None
    if max(Counter(words).values()) == 1:
        return entry
    (sentence,) = _sentences()[tuple(sorted(words))]
    return {**entry, "answer": sentence}


@cache
def _sentences() -> dict[Words, set[str]]:
    """Return the sentences of the library's text by their words in alphabetical order."""
    sentences: dict[Words, set[str]] = {}
    for match in re.finditer(r"[^.!?]+[.!?]", read_data_file("in_the_year_2889.txt")):
        words = match[0].split()
        sentences.setdefault(tuple(sorted(words)), set()).add(" ".join(words))
    return sentences


def caesar_cipher(entry: Entry) -> Entry | None:
    """Return the entry; None if its text has letters that the cipher leaves out.

    The library enciphers "Ë" as if it were "I", and leaves it in the answer.
    """
    return entry if entry["answer"].isascii() else None


def figlet_font(entry: Entry) -> Entry | None:
    """Return the entry; None if its picture is blank, or has the letters of the word in order."""
    picture = entry["question"].partition("\n")[2]
    letters = "".join(picture.split()).upper()
    return entry if letters and entry["answer"].upper() not in letters else None
