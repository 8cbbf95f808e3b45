"""Decode words that are hidden in an emoji."""

import random
from functools import cache

from reasoning_gym.data import read_data_file

from rgenv.tasks import Entry, Forms, LibraryVerifier, Task, changed, moving, random_of
from rgenv.tasks.answers.texts import Sentence, changed_letters
from rgenv.tasks.rewriting import SENTENCE_TEXT
from rgenv.tasks.symmetries import words_of_answer
from rgenv.tasks.verifying import MAX_TEXT, credit_above_half, share_in_place


class HiddenSentence(Sentence):
    """A sentence to the letter."""

    def misses(self, reference: str, question: str, rng: random.Random) -> Forms:
        return changed_letters(reference, rng)


SELECTORS = [*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)]
"""The character of each byte."""


def correct(entry: Entry) -> Entry:
    """Hide words of the text in any order: it has few sentences, and the start of one tells it all.

    The second character of some emojis, a selector, would count as a byte.
    """
    meta = entry["metadata"]
    secret = " ".join(random_of(entry).choices(_words(), k=meta["num_words_in_sentence"]))
    head, marker, rest = entry["question"].partition("from the emoji: ")
    _, end, rest = rest.partition("\n")
    question = f"{head}{marker}{encoded(None, secret, meta['emoji'][0])}{end}{rest}"
    return changed(entry, question, secret)


@cache
def _words() -> list[str]:
    text: str = read_data_file(SENTENCE_TEXT)
    return text.split()


def encoded(_self: object, sentence: str, base: str) -> str:
    """Return an emoji with a sentence behind it."""
    return base + sentence.encode().decode("latin-1").translate(SELECTORS)


def verify(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Give credit if more than half of the letters are in place; a run of blanks equals one.

    The library gives 0.16 to spaces alone, if there are as many as letters.
    """
    given, right = (" ".join(text[:MAX_TEXT].split()) for text in (answer, entry["answer"]))
    return credit_above_half(share_in_place(given, right))


TASK = Task(
    answer=HiddenSentence(),
    correct=correct,
    verify=verify,
    family=words_of_answer,
    # Every character is decoded on its own, so only their number can grow.
    levels=moving(words_in_sentence=[(3, 7), (8, 12), (14, 18), (21, 28), (30, 40)]),
    prepared=("min_words_in_sentence", "max_words_in_sentence"),
    faster={"games.emoji_mystery:EmojiMysteryDataset:encode": encoded},
)
