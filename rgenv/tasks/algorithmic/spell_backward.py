"""Spell a word backward."""

from rgenv.tasks import Answers, Entry, LibraryVerifier, Task, Text, moving, tail
from rgenv.tasks.symmetries import letters_after
from rgenv.tasks.verifying import credit_above, share_in_place


def verify(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Give credit if more than two thirds of the letters are in place.

    Short words have many letters in common by chance. The library gives 1.0 to the right word with
    any ending.
    """
    given, right = answer.strip().lower(), str(entry["answer"]).lower()
    return credit_above(share_in_place(given, right), 2 / 3)


def shortcuts(question: str) -> Answers:
    word = tail(question)
    return {"swap the ends": word[-1] + word[1:-1] + word[0] if len(word) > 1 else word}  # .26


TASK = Task(
    answer=Text(),
    also_right="other case",
    verify=verify,
    shortcuts=shortcuts,
    family=letters_after(r"\): (.*)"),
    # The longest words have 10 letters; the curriculum goes to 11.
    levels=moving(word_len=[(3, 4), (5, 5), (7, 7), (9, 9), (10, 10)]),
    prepared=("data_file", "min_word_len", "max_word_len"),
)
