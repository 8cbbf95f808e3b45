"""Put the shuffled letters of words in order."""

from rgenv.tasks import Entry, LibraryVerifier, Task, moving
from rgenv.tasks.answers.texts import Sentence
from rgenv.tasks.symmetries import letters_after
from rgenv.tasks.verifying import MAX_TEXT, credit_above, share_in_place
from rgenv.tasks.word_lists import is_anagram


def verify(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Give credit if more words are unscrambled than in the question.

    A word is unscrambled to any word that has its letters. The library gives 0.1 to the sentence as
    the question shows it, and 1.0 to the right sentence with any ending.
    """
    given, right = (text[:MAX_TEXT].split() for text in (answer, entry["answer"]))
    copied = share_in_place(entry["metadata"]["scrambled_words"], right, is_anagram)
    return credit_above(share_in_place(given, right, is_anagram), copied)


TASK = Task(
    answer=Sentence(),
    also_right="for each word, any word of the library with its letters",
    verify=verify,
    family=letters_after(r"these words: (.*)"),
    # The text has no words of more than 17 letters and few of more than 12.
    levels=moving(
        words=[(2, 4), (4, 7), (7, 12), (12, 20), (20, 32)],
        word_len=[(3, 5), (4, 6), (4, 8), (5, 10), (5, 12)],
        corruption_level=[(0.3, 0.5), (0.4, 0.6), (0.5, 0.7), (0.6, 0.8), (0.7, 0.9)],
    ),
    prepared=("min_word_len", "max_word_len"),
    accepted={
        "shortcut": (
            "the library has one text, of 2,400 words: after 1,200 problems a table of "
            "their letters solves .69 by default and .88 at 1"
        )
    },
)
