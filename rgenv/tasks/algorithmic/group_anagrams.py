"""Put words with the same letters together."""

import json
import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from rgenv.tasks import Entry, Forms, Task, all_or_nothing, changed, moving, random_of
from rgenv.tasks.answers.grids import Groups
from rgenv.tasks.symmetries import letters_after
from rgenv.tasks.word_lists import anagram_groups, groups_by_letters


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
    rng = random_of(entry)
    given: dict[str, list[str]] = defaultdict(list)
    for word in entry["metadata"]["words"]:
        given[_letters(word)].append(word)
    groups: dict[str, list[str]] = {}
    for place, (letters, words) in enumerate(given.items()):
        alike = _alike()[_looks([*groups][-1])] if place % 2 else {}
        if fresh := [other for other in alike if other not in groups and other not in given]:
            letters = rng.choice(fresh)
            words = rng.sample(alike[letters], min(len(alike[letters]), len(words)))
        groups[letters] = words
    shown = [word for words in groups.values() for word in words]
    rng.shuffle(shown)
    old = json.dumps(entry["metadata"]["words"])
    question = entry["question"].replace(old, json.dumps(shown))
    solution = sorted(map(sorted, groups.values()))
    return changed(entry, question, json.dumps(solution), words=shown, solution=solution)


def _letters(word: str) -> str:
    return "".join(sorted(word))


_NO_VOWELS = str.maketrans("", "", "bcdfghjklmnpqrstvwxyz")


def _looks(letters: str) -> str:
    """Return what is seen of a word at first: its length, its vowels and its outermost letters."""
    return f"{len(letters)} {letters.translate(_NO_VOWELS)} {letters[0]} {letters[-1]}"


@cache
def _alike() -> Mapping[str, Mapping[str, Sequence[str]]]:
    """Return the library's groups of anagrams by their letters, by what is seen of them."""
    found: dict[str, dict[str, Sequence[str]]] = defaultdict(dict)
    for letters, words in groups_by_letters().items():
        found[_looks(letters)][letters] = words
    return found


def prepare(dataset: Any, config: Any) -> None:
    """Do what ``__init__`` does, with groups that are read once."""
    super(type(dataset), dataset).__init__(config=config, seed=config.seed, size=config.size)
    dataset.anagrams = anagram_groups()


TASK = Task(
    answer=Anagrams(),
    correct=correct,
    verify=all_or_nothing,
    family=letters_after(r"anagrams:\n(.*)"),
    # Among fewer groups, the lengths of the words give them away.
    levels=moving(
        anagram_groups=[(5, 7), (8, 11), (12, 16), (17, 23), (24, 32)],
        words_per_group=[(2, 4), (2, 4), (2, 5), (3, 5), (3, 5)],
    ),
    faster={"algorithmic.group_anagrams:GroupAnagramsDataset:__init__": prepare},
)
