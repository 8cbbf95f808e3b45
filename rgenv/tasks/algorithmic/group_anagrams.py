"""Put words with the same letters together."""

from __future__ import annotations

import json
import random
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache

from reasoning_gym.data import get_data_file_path

from rgenv.tasks.answers.grids import Groups
from rgenv.tasks.answers.kind import Forms
from rgenv.tasks.entry import Entry
from rgenv.tasks.record import Levels, Task
from rgenv.tasks.rewriting import random_of
from rgenv.tasks.symmetries import letters_of_words, part_of
from rgenv.tasks.verifying import all_or_nothing


class Anagrams(Groups):
    """Groups of words."""

    def misses(self, reference: str, question: str, rng: random.Random) -> Forms:
        value = json.loads(reference)
        changes = {
            "group left out": value[:-1] or [["q"]],
            "word left out": [value[0][1:], *value[1:]],
        }
        if len(value) > 1:
            one, other, *rest = value
            changes["exchanged"] = [[other[0], *one[1:]], [one[0], *other[1:]], *rest]
            changes["merged"] = [one + other, *rest]
        return {name: json.dumps(changed) for name, changed in changes.items()}


def correct(entry: Entry) -> Entry:
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


def family(entry: Entry) -> object:
    """Keep the letters of each word; ignore their order, order of the words."""
    return letters_of_words(part_of(r"anagrams:\n(.*)", entry))


TASK = Task(
    answer=Anagrams(),
    correct=correct,
    verify=all_or_nothing,
    family=family,
    # Among fewer groups, the lengths of the words give them away.
    levels=Levels(
        knots={
            "min_anagram_groups": [5, 8, 12, 17, 24],
            "max_anagram_groups": [7, 11, 16, 23, 32],
            "min_words_per_group": [2, 2, 2, 3, 3],
            "max_words_per_group": [4, 4, 5, 5, 5],
        }
    ),
    prepared=(),
)
