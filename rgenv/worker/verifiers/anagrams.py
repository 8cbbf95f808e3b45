"""The words that letter_jumble's scrambled words can be unscrambled to.

Example::

    is_anagram("file", "life")    # True: the same letters, and a word
    is_anagram("ilfe", "life")    # False

A word is one of the library's own: of the text that letter_jumble draws from, of the word lists of
word_ladder, or of group_anagrams' lists. Of the latter only from four letters on, because their
shorter entries are mostly words that few people know: with `fo` and `tsi`, a copy of the question
would be right.
"""

from __future__ import annotations

import re
from functools import cache

from reasoning_gym.data import read_data_file

MIN_LETTERS = 4
"""Letters of a word of group_anagrams' lists that counts."""


def is_anagram(word: str, other: str) -> bool:
    """Return whether `word` is a word with the letters of `other`, a word of the text.

    Case makes no difference. The first call for a word that differs from `other` takes 0.3 s.
    """
    word, other = word.lower(), other.lower()
    return word == other or (sorted(word) == sorted(other) and word in _anagrams())


@cache
def _anagrams() -> frozenset[str]:
    """Return all words that have the letters of a word of the text."""
    text = set(re.findall(r"[^\W\d_]+", read_data_file("in_the_year_2889.txt").lower()))
    ladders = set(re.findall("[a-z]+", read_data_file("words.csv").lower()))
    groups = re.findall(f'"([a-z]{{{MIN_LETTERS},}})"', read_data_file("anagrams.jsonl"))
    letters = {"".join(sorted(word)) for word in text}
    words = text | ladders | set(groups)
    return frozenset(word for word in words if "".join(sorted(word)) in letters)
