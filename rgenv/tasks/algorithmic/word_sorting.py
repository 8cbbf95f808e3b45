"""Sort words by their characters' codes."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from random import Random

from reasoning_gym.data import read_data_file

from rgenv.tasks import Answers, Entry, LibraryVerifier, Task, changed, moving, random_of
from rgenv.tasks.answers.lists import Words
from rgenv.tasks.questions import tail
from rgenv.tasks.rewriting import SENTENCE_TEXT
from rgenv.tasks.symmetries import words_after
from rgenv.tasks.verifying import MAX_TEXT, order_score

SAME_START = (3, 5)
"""The fewest and the most words with the same first letters."""
START_LETTERS = (4, 6)
"""Letters that words of a group share; fewer where all words are short."""
SHORT, START_LETTERS_OF_SHORT = 7, (3, 4)


def correct(entry: Entry) -> Entry:
    """Replace the words by others of the library's text, most of which begin like another one.

    Few of the library's words share their first two letters, so that the rest does not matter. Here
    a capital letter stands out of the order that a dictionary has. Words whose case was changed
    stay as they are.
    """
    meta = entry["metadata"]
    shown = meta["transformed_words"]
    if shown != meta["original_words"]:
        return entry
    words = _words_alike(random_of(entry), len(shown), *meta["difficulty"]["word_length"])
    if words is None:
        return entry
    answer = sorted(words, reverse=meta["direction"] == "descending")
    return changed(
        entry,
        entry["question"].replace(f": {', '.join(shown)}\n", f": {', '.join(words)}\n"),
        ", ".join(answer),
        original_words=words,
        transformed_words=words,
        sorted_words=answer,
        word_length=max(map(len, words)),
    )


def _words_alike(rng: Random, count: int, shortest: int, longest: int) -> list[str] | None:
    """Return different words in groups that begin alike, shuffled; None if there are too few.

    The last word is one that stands elsewhere in a dictionary, where case does not matter.
    """
    groups, all_words = _by_start(shortest, longest), _words(shortest, longest)
    words: list[str] = []
    for start in rng.sample(list(groups), len(groups)):
        fresh = [word for word in groups[start] if word not in words]
        size = min(rng.randint(*SAME_START), len(fresh), max(count - 1, 1) - len(words))
        words += rng.sample(fresh, size)
        if len(words) >= count - 1:
            break
    others = [word for word in rng.sample(all_words, min(200, len(all_words))) if word not in words]
    misplaced = (w for w in others if sorted([*words, w]) != sorted([*words, w], key=str.lower))
    words += [last] if (last := next(misplaced, None)) else others[:1]
    rng.shuffle(words)
    return words if len(words) == count else None


@cache
def _words(shortest: int, longest: int) -> Sequence[str]:
    """Return the different words of the library's text that have these lengths, sorted."""
    words = set(re.findall(r"\b\w+\b", read_data_file(SENTENCE_TEXT)))
    return sorted(word for word in words if shortest <= len(word) <= longest)


@cache
def _by_start(shortest: int, longest: int) -> Mapping[str, Sequence[str]]:
    """Return the words of the library's text by their first letters, where several share them."""
    groups: dict[str, list[str]] = defaultdict(list)
    start_letters = START_LETTERS if longest > SHORT else START_LETTERS_OF_SHORT
    for word in _words(shortest, longest):
        for letters in start_letters if len(word) >= max(start_letters) else ():
            groups[word[:letters]].append(word)
    return {start: found for start, found in groups.items() if len(found) >= SAME_START[0]}


def verify(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Give credit if more than half of the words are in place.

    The library gives 0.25 to the words as the question lists them.
    """
    given = [word.strip() for word in answer[:MAX_TEXT].split(",")]
    return order_score(given, entry["metadata"]["sorted_words"])


def shortcuts(question: str) -> Answers:
    words = tail(question).split(", ")
    orders = {
        "reverse the list": words[::-1],  # .08
        "first word last": [*words[1:], words[0]],  # .08
        "last word first": [words[-1], *words[:-1]],  # .07
        "sort by length": sorted(words, key=len),  # .10
    }
    return {name: ", ".join(order) for name, order in orders.items()}


TASK = Task(
    answer=Words(),
    correct=correct,
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
