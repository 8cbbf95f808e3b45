"""Verifiers for letters and words in their places.

Any word shares some letters with ``ainomma``, and a shuffled sentence has some words in place. An
answer that is at most half right, or is copied from the question, scores 0.0.

Not here: sentences whose words have more than one right order.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from rgenv.tasks.entry import Entry
from rgenv.worker.verifiers.shared import LibraryVerifier, credit_above, credit_above_half
from rgenv.worker.verifiers.vocabulary import is_anagram, is_word

MAX_TEXT = 10_000
"""Characters of an answer that are read."""
EVERYDAY_WORDS = {
    **dict.fromkeys(("mom", "mum", "mama", "mommy", "mummy"), "mother"),
    **dict.fromkeys(("dad", "papa", "daddy"), "father"),
    **dict.fromkeys(("grandma", "granny"), "grandmother"),
    **dict.fromkeys(("grandpa", "granddad"), "grandfather"),
    **dict.fromkeys(("great-grandma", "great-granny"), "great-grandmother"),
    **dict.fromkeys(("great-grandpa", "great-granddad"), "great-grandfather"),
}
"""Everyday words for relations -> the words of family_relationships."""


def spell_backward(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Give credit if more than two thirds of the letters are in place.

    Short words have many letters in common by chance. The library gives 1.0 to the right word with
    any ending.
    """
    given, right = answer.strip().lower(), str(entry["answer"]).lower()
    return credit_above(2 / 3, _share_in_place(given, right))


def figlet_font(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Give credit if more than two thirds of the letters are in place.

    The library gives 0.1 for each letter in place and ignores what follows.
    """
    given, right = (text.replace(" ", "").strip().lower() for text in (answer, entry["answer"]))
    return credit_above(2 / 3, _share_in_place(given, right))


def emoji_mystery(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Give credit if more than half of the letters are in place; a run of blanks equals one.

    The text that the sentences are drawn from has some double spaces. The library gives 0.16 to
    spaces alone, if there are as many as letters.
    """
    given, right = (" ".join(text[:MAX_TEXT].split()) for text in (answer, entry["answer"]))
    return credit_above_half(_share_in_place(given, right))


def sentence_reordering(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Give credit if more than half of the words are in place.

    The library gives 0.13 to the sentence as the question shows it.
    """
    given, right = (text[:MAX_TEXT].lower().split() for text in (answer, entry["answer"]))
    return _order_score(given, right)


def word_sorting(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Give credit if more than half of the words are in place.

    The library gives 0.25 to the words as the question lists them.
    """
    given = [word.strip() for word in answer[:MAX_TEXT].split(",")]
    return _order_score(given, entry["metadata"]["sorted_words"])


def letter_jumble(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Give credit if more words are unscrambled than in the question.

    A word is unscrambled to any word that has its letters. The library gives 0.1 to the sentence as
    the question shows it, and 1.0 to the right sentence with any ending.
    """
    given, right = (text[:MAX_TEXT].split() for text in (answer, entry["answer"]))
    copied = _share_unscrambled(entry["metadata"]["scrambled_words"], right)
    share = _share_unscrambled(given, right)
    return 1.0 if share >= 1.0 else credit_above(copied, share)


def word_ladder(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 for any ladder of words, of any length, from the first word to the last.

    The library knows half of the words of five letters, and gives 0.5 to a ladder with one letter
    sequence that is no word.
    """
    words = answer[:MAX_TEXT].upper().split(",")
    ends = entry["metadata"]["start_word"], entry["metadata"]["end_word"]
    if len(words) < 2 or (words[0], words[-1]) != ends:
        return 0.0
    one_letter_each = all(
        len(a) == len(b) and sum(x != y for x, y in zip(a, b, strict=True)) == 1
        for a, b in pairwise(words)
    )
    return float(one_letter_each and all(word in ends or is_word(word) for word in words))


def family_relationships(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 for the relation, also by its everyday word."""
    word = answer.strip().casefold()
    return float(EVERYDAY_WORDS.get(word, word) == str(entry["answer"]).casefold())


def _share_unscrambled(given: Sequence[str], right: Sequence[str]) -> float:
    """Return the share of words that have the letters of `right`, or 0.0 if the lengths differ."""
    if len(given) != len(right):
        return 0.0
    return sum(is_anagram(a, b) for a, b in zip(given, right, strict=True)) / len(right)


def _order_score(given: list[str], right: list[str]) -> float:
    """Give credit if more than half of the words are in place and no word was added or changed."""
    if sorted(given) != sorted(right):
        return 0.0
    return credit_above_half(_share_in_place(given, right))


def _share_in_place(given: Sequence[str], right: Sequence[str]) -> float:
    """Return the share of `right` that is in place, or 0.0 if the lengths differ."""
    if len(given) != len(right):
        return 0.0
    return sum(a == b for a, b in zip(given, right, strict=True)) / len(right)
