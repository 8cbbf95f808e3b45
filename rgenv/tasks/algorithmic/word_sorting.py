"""Sort words by their characters' codes."""

from rgenv.tasks import Answers, Entry, LibraryVerifier, Task, moving
from rgenv.tasks.answers.lists import Words
from rgenv.tasks.questions import tail
from rgenv.tasks.symmetries import words_after
from rgenv.tasks.verifying import MAX_TEXT, order_score

IN_PLACE = 0.75
"""The share of words that may be in place without credit. Whoever reads first letters only has half
of them."""


def verify(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Give credit if more than three quarters of the words are in place.

    The library gives 0.25 to the words as the question lists them.
    """
    given = [word.strip() for word in answer[:MAX_TEXT].split(",")]
    return order_score(given, entry["metadata"]["sorted_words"], blind=IN_PLACE)


def shortcuts(question: str) -> Answers:
    words, down = tail(question).split(", "), "in descending order" in question
    in_order = sorted(words, key=str.casefold, reverse=down)
    return {"sort as a dictionary does": ", ".join(in_order)}  # .46 at the defaults, .16 at .5


TASK = Task(
    answer=Words(),
    verify=verify,
    shortcuts=shortcuts,
    family=words_after(r"list: (.*)"),
    # The order of 40 words takes comparisons enough; 100 are long rather than deep.
    levels=moving(
        words=[(3, 5), (6, 9), (10, 15), (16, 24), (25, 40)],
        word_length=[(3, 6), (3, 8), (3, 10), (3, 12), (3, 14)],
    ),
    prepared=("min_word_length", "max_word_length"),
)
