"""The words that the library's word lists know."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import chain

from reasoning_gym.data import read_data_file

LADDER_LETTERS = 5
"""Letters of the longest words of word_ladder."""
MIN_LETTERS = 4
"""Letters of a word of group_anagrams that counts as an anagram."""


def is_word(word: str) -> bool:
    """Return whether a word of up to five letters is in any list, in any case."""
    word = word.lower()
    return len(word) <= LADDER_LETTERS and (word in _short_words() or word in _in_group(word))


def is_anagram(word: str, other: str) -> bool:
    """Return whether `word` is a word with the letters of `other`, a word of the text.

    Case makes no difference.
    """
    word, other = word.lower(), other.lower()
    if word == other or sorted(word) != sorted(other):
        return word == other
    in_group = len(word) >= MIN_LETTERS and word in _in_group(word)
    return in_group or word in _text() or word in _ladders()


@cache
def anagram_groups() -> Sequence[Sequence[str]]:
    """Return the groups of words of group_anagrams, which all data sets share."""
    lines = read_data_file("anagrams.jsonl").split('"words": ["')[1:]
    return [line[: line.index('"]')].split('", "') for line in lines]


@cache
def groups_by_letters() -> Mapping[str, Sequence[str]]:
    """Return the same groups by the letters of their words, in order."""
    return {"".join(sorted(words[0])): words for words in anagram_groups()}


def _in_group(word: str) -> Sequence[str]:
    return groups_by_letters().get("".join(sorted(word)), ())


@cache
def _ladders() -> frozenset[str]:
    return frozenset(re.findall("[a-z]+", read_data_file("words.csv").lower()))


@cache
def _text() -> frozenset[str]:
    text = read_data_file("in_the_year_2889.txt")
    return frozenset(re.findall(r"[^\W\d_]+", text.lower()))


@cache
def _short_words() -> frozenset[str]:
    """Return the words of up to five letters in all lists but the one of the groups."""
    words = chain(_ladders(), _text(), read_data_file("words3to10.txt").lower().split())
    return frozenset(word for word in words if len(word) <= LADDER_LETTERS)
