"""Sort words by their characters' codes."""

import re
from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from random import Random

from reasoning_gym.data import read_data_file

from rgenv.tasks import Answers, Entry, LibraryVerifier, Task, changed, moving, random_of
from rgenv.tasks.answers.lists import Words
from rgenv.tasks.questions import tail
from rgenv.tasks.rewriting import SENTENCE_TEXT, first_last
from rgenv.tasks.symmetries import words_after
from rgenv.tasks.verifying import MAX_TEXT, order_score

ROOM = 6
"""The fewest words with room for a group that begins alike, and for others."""
LAST_LETTERS = 2
"""Letters in which words differ that are the same otherwise."""
BESIDE = (1, 2)
"""The fewest and the most words of a group that share half of their letters only."""
LONGEST_LISTED = 10
"""Letters of the longest words of the library's list."""
IN_PLACE = 0.75
"""The share of words that may be in place without credit. Whoever reads first letters only has half
of them."""


def correct(entry: Entry) -> Entry:
    """Replace the words by others of the library's list, in groups that begin alike.

    Few of the library's words share their first two letters, so that the rest does not matter. Here
    a capital letter stands out of the order that a dictionary has. Words whose case was changed
    stay as they are.
    """
    meta, rng = entry["metadata"], random_of(entry)
    shown, most = meta["transformed_words"], meta["difficulty"]["num_words"][1]
    if shown != meta["original_words"]:
        return entry
    count = rng.randint(ROOM, most) if len(shown) < ROOM <= most else len(shown)
    words = _words_alike(rng, count, *meta["difficulty"]["word_length"])
    if words is None:
        return entry
    answer = sorted(words, reverse=meta["direction"] == "descending")
    words = first_last(rng, words, answer[0])
    return changed(
        entry,
        entry["question"].replace(f": {', '.join(shown)}\n", f": {', '.join(words)}\n"),
        ", ".join(answer),
        original_words=words,
        transformed_words=words,
        sorted_words=answer,
        num_words=count,
        word_length=max(map(len, words)),
    )


def _words_alike(rng: Random, count: int, shortest: int, longest: int) -> list[str] | None:
    """Return different words in groups that begin alike, shuffled; None if there are too few.

    The last word is one that stands elsewhere in a dictionary, where case does not matter.
    """
    groups, all_words = _groups(shortest, min(longest, LONGEST_LISTED)), _words(shortest, longest)
    words: list[str] = []
    for pair, alike, beside in rng.sample(groups, min(count, len(groups))):
        more = rng.sample(beside, min(rng.randint(*BESIDE), len(beside)))
        group = [word for word in (*pair, rng.choice(alike), *more) if word not in words]
        words += group[: max(count - 1, 1) - len(words)]
        if len(words) >= count - 1:
            break
    others = [word for word in rng.sample(all_words, min(50, len(all_words))) if word not in words]
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
def _groups(shortest: int, longest: int) -> Sequence[tuple[Sequence[str], ...]]:
    """Return groups of words of the library's list.

    Each has two words of which one continues the other by a letter, words that are the same as
    those but for the last letters, and words that share half of their letters.
    """
    shared, half = max(longest - LAST_LETTERS, 1), longest // 2
    least, listed = max(shared, shortest), read_data_file("words3to10.txt").split()
    words = [word for word in listed if least <= len(word) <= longest]
    longer = {word[:-1]: word for word in words if len(word) == longest}
    pairs = [(word, longer[word]) for word in words if word in longer]
    halves = {word[:half] for word, _ in pairs}
    by_half = defaultdict[str, list[str]](list)
    for word in words:
        if (begin := word[:half]) in halves:
            by_half[begin].append(word)
    groups = []
    for pair in pairs:
        others = [word for word in by_half[pair[0][:half]] if word not in pair]
        if alike := [word for word in others if word.startswith(pair[0][:shared])]:
            groups.append((pair, alike, [word for word in others if word not in alike]))
    return groups


def verify(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Give credit if more than three quarters of the words are in place.

    The library gives 0.25 to the words as the question lists them.
    """
    given = [word.strip() for word in answer[:MAX_TEXT].split(",")]
    return order_score(given, entry["metadata"]["sorted_words"], blind=IN_PLACE)


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
