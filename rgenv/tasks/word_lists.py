"""The words that the library's word lists know."""

import json
import re
from functools import cache
from itertools import chain

from reasoning_gym.data import read_data_file

LADDER_LETTERS = 5
"""Letters of the longest words of word_ladder."""
MIN_LETTERS = 4
"""Letters of a word of group_anagrams that counts as an anagram."""


def is_word(word: str) -> bool:
    """Return whether a word of up to five letters is in any list, in any case.

    The first call takes 0.3 s.
    """
    return word.lower() in _ladder_words()


def is_anagram(word: str, other: str) -> bool:
    """Return whether `word` is a word with the letters of `other`, a word of the text.

    Case makes no difference. The first call for a word that differs from `other` takes 0.3 s.
    """
    word, other = word.lower(), other.lower()
    return word == other or (sorted(word) == sorted(other) and word in _anagrams())


@cache
def anagram_groups() -> list[list[str]]:
    """Return the groups of words of group_anagrams, which all data sets share."""
    groups = re.findall(r'"words": (\[.*?\])', read_data_file("anagrams.jsonl"))
    return json.loads(f"[{','.join(groups)}]")  # type: ignore[no-any-return]


def _lists() -> tuple[set[str], set[str], set[str]]:
    """Return the words of the text, of word_ladder and of group_anagrams."""
    text, ladders = read_data_file("in_the_year_2889.txt"), read_data_file("words.csv")
    return (
        set(re.findall(r"[^\W\d_]+", text.lower())),
        set(re.findall("[a-z]+", ladders.lower())),
        set(chain(*anagram_groups())),
    )


@cache
def _ladder_words() -> frozenset[str]:
    words = set[str]().union(*_lists(), read_data_file("words3to10.txt").lower().split())
    return frozenset(word for word in words if len(word) <= LADDER_LETTERS)


@cache
def _anagrams() -> frozenset[str]:
    """Return all words that have the letters of a word of the text."""
    text, ladders, groups = _lists()
    letters = {"".join(sorted(word)) for word in text}
    words = text | ladders | {word for word in groups if len(word) >= MIN_LETTERS}
    return frozenset(word for word in words if "".join(sorted(word)) in letters)
