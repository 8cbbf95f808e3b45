"""Decode a sentence that is hidden in an emoji."""

from rgenv.tasks import Entry, LibraryVerifier, Task, moving
from rgenv.tasks.answers.texts import Sentence
from rgenv.tasks.symmetries import words_of_answer
from rgenv.tasks.verifying import MAX_TEXT, credit_above, share_in_place


class HiddenSentence(Sentence):
    """A sentence to the letter."""


SELECTORS = [*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)]
"""The character of each byte."""


def correct(entry: Entry) -> Entry | None:
    """Return None if the emoji has a selector of its own, which would count as a byte."""
    return entry if len(entry["metadata"]["emoji"]) == 1 else None


def encoded(_self: object, sentence: str, base: str) -> str:
    """Return an emoji with a sentence behind it."""
    return base + sentence.encode().decode("latin-1").translate(SELECTORS)


def verify(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Give credit if more than half of the letters are in place; a run of blanks equals one.

    The library gives 0.16 to spaces alone, if there are as many as letters.
    """
    given, right = (" ".join(text[:MAX_TEXT].split()) for text in (answer, entry["answer"]))
    return credit_above(share_in_place(given, right))


TASK = Task(
    answer=HiddenSentence(),
    also_right="any number of blanks between words",
    correct=correct,
    verify=verify,
    family=words_of_answer,
    # Every character is decoded on its own, so only their number can grow.
    levels=moving(words_in_sentence=[(3, 7), (8, 12), (14, 18), (21, 28), (30, 40)]),
    prepared=("min_words_in_sentence", "max_words_in_sentence"),
    faster={"games.emoji_mystery:EmojiMysteryDataset:encode": encoded},
    accepted={"shortcut": "the text has few sentences, and the number of letters tells which"},
)
