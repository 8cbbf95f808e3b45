"""Sort words by their characters' codes."""

import re
from functools import cache

from reasoning_gym.data import read_data_file

from rgenv.tasks import Answers, Entry, LibraryVerifier, Task, changed, moving, random_of, replaced
from rgenv.tasks.answers.lists import Words
from rgenv.tasks.questions import tail
from rgenv.tasks.rewriting import SENTENCE_TEXT
from rgenv.tasks.symmetries import words_after
from rgenv.tasks.verifying import MAX_TEXT, order_score

IN_PLACE = 0.75
"""The share of words that may be in place without credit. Whoever reads first letters only has half
of them."""


ALIKE = 4
"""Words that stand beside each other in a dictionary of the library's words."""


def harden(entry: Entry) -> Entry | None:
    """Draw words that begin alike: first letters sort .67 of the library's lists, .10 of these."""
    meta, rng = entry["metadata"], random_of(entry)
    shown, words = meta["transformed_words"], _dictionary(*meta["difficulty"]["word_length"])
    if entry["config"].get("transformation", "original") != "original":
        return None
    chosen: list[str] = []
    while len(chosen) < len(shown):
        start = rng.randrange(len(words))
        chosen += [word for word in words[start : start + ALIKE] if word not in chosen]
    chosen = chosen[: len(shown)]
    rng.shuffle(chosen)
    answer = sorted(chosen, reverse=meta["direction"] == "descending")
    lists = {"original_words": chosen, "transformed_words": chosen, "sorted_words": answer}
    question = replaced(entry["question"], f": {', '.join(shown)}\n", f": {', '.join(chosen)}\n")
    longest = max(map(len, chosen))
    return changed(entry, question, ", ".join(answer), **lists, word_length=longest)


@cache
def _dictionary(shortest: int, longest: int) -> list[str]:
    """Return the different words of the library's text that have these lengths, in order."""
    words = sorted(set(re.findall(r"\b\w+\b", read_data_file(SENTENCE_TEXT))))
    return sorted((w for w in words if shortest <= len(w) <= longest), key=str.casefold)


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
    also_right="equal words may change places",
    harden=harden,
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
