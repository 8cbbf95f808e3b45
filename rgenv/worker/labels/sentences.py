"""Correction for sentences whose words are shuffled.

Example::

    sentence_reordering(entry)    # "the cat and the dog", where the library says "the the cat ..."
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

from reasoning_gym.data import read_data_file

from rgenv.worker.verifiers.shared import Entry

Words = tuple[str, ...]


def sentence_reordering(entry: Entry) -> Entry | None:
    """Return the entry with the sentence of the text; None if another one has the same words.

    The library sorts the words by their first place in the sentence, which moves a word that occurs
    twice next to its first occurrence.
    """
    words = entry["answer"].split()
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
