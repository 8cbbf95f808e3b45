"""Lists of words and numbers whose order or groups can't be seen at a glance.

Example::

    number_sorting(entry)    # as many numbers, several of which share their whole part
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from random import Random

from reasoning_gym.data import get_data_file_path, read_data_file

from rgenv.tasks.entry import Entry
from rgenv.worker.labels.surfaces.shared import random_of

# --- group_anagrams -----------------------------------------------------------------------------


def group_anagrams(entry: Entry) -> Entry:
    """Make groups look alike two by two, if the library knows such words, and shuffle all words.

    The library lists the words group by group, and few groups have words of the same length.
    """
    meta = entry["metadata"]
    rng = random_of(entry)
    given: dict[str, list[str]] = {}
    for word in meta["words"]:
        given.setdefault(_letters(word), []).append(word)
    groups: dict[str, list[str]] = {}
    for place, (letters, words) in enumerate(given.items()):
        if place % 2:
            alike = _alike()[_looks([*groups][-1])]
            fresh = [other for other in alike if other not in groups and other not in given]
            letters = rng.choice(fresh) if fresh else letters
            known = alike.get(letters, words)
            words = rng.sample(known, min(len(known), len(words))) if fresh else words
        groups[letters] = words
    shown = [word for words in groups.values() for word in words]
    rng.shuffle(shown)
    question = entry["question"].replace(json.dumps(meta["words"]), json.dumps(shown))
    solution = sorted(sorted(words) for words in groups.values())
    metadata = {**meta, "words": shown, "solution": solution}
    return {**entry, "question": question, "answer": json.dumps(solution), "metadata": metadata}


def _letters(word: str) -> str:
    return "".join(sorted(word))


def _looks(letters: str) -> str:
    """Return what is seen of a word at first: its length, its vowels and its outermost letters."""
    vowels = re.sub("[^aeiou]", "", letters)
    return f"{len(letters)} {vowels} {letters[0]} {letters[-1]}"


@cache
def _alike() -> Mapping[str, Mapping[str, Sequence[str]]]:
    """Return the library's groups of anagrams by their letters, by what is seen of them."""
    found: dict[str, dict[str, list[str]]] = defaultdict(dict)
    with get_data_file_path("anagrams.jsonl").open(encoding="utf-8") as file:
        for line in file:
            words = json.loads(line)["words"]
            found[_looks(_letters(words[0]))][_letters(words[0])] = words
    return found


# --- number_sorting -----------------------------------------------------------------------------

SHARING = 5
"""Numbers that share their whole part, on average."""
TENTHS = 2
"""Tenths that the numbers of a list have, if they have hundredths."""
OTHER_SIGN = 0.4
"""The share of numbers whose sign is another than that of their whole part."""
TRIES = 50
"""Numbers to make for each number of a list, until all of them differ."""


def number_sorting(entry: Entry) -> Entry:
    """Replace the numbers by others that have few whole parts, all of them from the question.

    Nearly all of the library's numbers differ in their whole parts, which are easily compared. A
    list stays as it is if its numbers are whole or lie closely together.
    """
    meta = entry["metadata"]
    shown, (low, high) = meta["original_numbers"], meta["difficulty"]["value"]
    rng = random_of(entry)
    decimals = meta["difficulty"]["decimals"][1]
    numbers = _numbers_alike(rng, shown, both_signs=low < 0 < high, hundredths=decimals > 1)
    values = [float(number) for number in numbers]
    if not decimals or len(numbers) < len(shown) or min(values) < low or max(values) > high:
        return entry
    answer = sorted(numbers, key=float, reverse=meta["direction"] == "descending")
    question = entry["question"].replace(", ".join(shown), ", ".join(numbers), 1)
    metadata = {**meta, "original_numbers": numbers, "sorted_numbers": answer}
    return {**entry, "question": question, "answer": str(answer), "metadata": metadata}


def _numbers_alike(
    rng: Random, shown: Sequence[str], *, both_signs: bool, hundredths: bool
) -> list[str]:
    """Return different numbers with some of the whole parts of those shown; fewer if none fit."""
    whole = [text.partition(".")[0] for text in shown[: max(1, len(shown) // SHARING)]]
    tenths = rng.sample("123456789", TENTHS) if hundredths else list("123456789")
    found: list[str] = []
    for _ in range(TRIES * len(shown)):
        text = f"{rng.choice(whole)}.{rng.choice(tenths)}"
        if hundredths:
            text = f"{text}{rng.randrange(10)}".removesuffix("0")
        if both_signs and rng.random() < OTHER_SIGN:
            text = f"-{text}".removeprefix("--")
        if text not in found and len(found) < len(shown):
            found.append(text)
    return found


# --- word_sorting -------------------------------------------------------------------------------

SAME_START = (3, 5)
"""The fewest and the most words with the same first letters."""
START_LETTERS = (3, 4)


def word_sorting(entry: Entry) -> Entry:
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
    question = entry["question"].replace(f": {', '.join(shown)}\n", f": {', '.join(words)}\n")
    metadata = {
        **meta,
        "original_words": words,
        "transformed_words": words,
        "sorted_words": answer,
        "word_length": max(map(len, words)),
    }
    return {**entry, "question": question, "answer": ", ".join(answer), "metadata": metadata}


def _words_alike(rng: Random, count: int, shortest: int, longest: int) -> list[str] | None:
    """Return different words in groups that begin alike, shuffled; None if there are too few.

    The last word is one that stands elsewhere in a dictionary, where case does not matter.
    """
    groups = _by_start(shortest, longest)
    starts = rng.sample(list(groups), len(groups))
    words: list[str] = []
    for start in starts:
        fresh = [word for word in groups[start] if word not in words]
        size = min(rng.randint(*SAME_START), len(fresh), max(count - 1, 1) - len(words))
        words += rng.sample(fresh, size)
        if len(words) >= count - 1:
            break
    all_words = _words(shortest, longest)
    others = [word for word in rng.sample(all_words, min(200, len(all_words))) if word not in words]
    last = next((word for word in others if _case_matters([*words, word])), None)
    words += [last] if last else others[:1]
    rng.shuffle(words)
    return words if len(words) == count else None


def _case_matters(words: list[str]) -> bool:
    return sorted(words) != sorted(words, key=str.lower)


@cache
def _by_start(shortest: int, longest: int) -> Mapping[str, Sequence[str]]:
    """Return the words of the library's text by their first letters, where several share them."""
    groups: dict[str, list[str]] = defaultdict(list)
    for word in _words(shortest, longest):
        for letters in START_LETTERS if len(word) >= max(START_LETTERS) else ():
            groups[word[:letters]].append(word)
    return {start: found for start, found in groups.items() if len(found) >= SAME_START[0]}


@cache
def _words(shortest: int, longest: int) -> Sequence[str]:
    """Return the different words of the library's text that have these lengths, sorted."""
    words = re.findall(r"\b\w+\b", read_data_file("in_the_year_2889.txt"))
    return sorted({word for word in words if shortest <= len(word) <= longest})
