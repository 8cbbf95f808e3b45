"""Put words with the same letters together."""

import json
import random
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import cycle
from operator import itemgetter
from typing import Any

from rgenv.tasks import Entry, Forms, Task, all_or_nothing, changed, moving, random_of
from rgenv.tasks.answers.grids import Groups
from rgenv.tasks.symmetries import letters_after
from rgenv.tasks.word_lists import anagram_groups, groups_by_letters

Look = Callable[[str], object]
"""What is seen of the sorted letters of a word."""


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


LEAST_GROUPS = 9
"""Among fewer groups, a part of the letters often tells which words belong together."""
LEAST_LETTERS = 8
"""Of a word. A part of fewer letters is nearly all of them."""
MOST_GROUPS = 1_000
"""Of about 11,000 that look like another."""
NEAR = 4
"""Groups before a new one, of which it looks like one."""


def correct(entry: Entry) -> Entry:
    """Replace the words by those of groups that look alike, and shuffle them.

    The library lists the words group by group, and few groups have words of the same length.
    """
    rng, meta = random_of(entry), entry["metadata"]
    least, most = meta["difficulty"]["words_per_group"]
    count = min(LEAST_GROUPS, meta["difficulty"]["anagram_groups"][1])
    if meta["anagram_groups"] > MOST_GROUPS:
        return entry
    groups: list[Sequence[str]] = []
    for letters in _alike_groups(rng, max(count, meta["anagram_groups"])):
        words, size = groups_by_letters()[letters], rng.randint(least, most)
        groups.append(rng.sample(words, size) if size < len(words) else words)
    shown = [word for words in groups for word in words]
    rng.shuffle(shown)
    head, before, _ = entry["question"].rpartition("anagrams:\n")
    question = f"{head}{before}{json.dumps(shown)}\n"
    solution, size = sorted(map(sorted, groups)), len(groups)
    given = {"words": shown, "solution": solution, "anagram_groups": size}
    return changed(entry, question, json.dumps(solution), **given)


def _alike_groups(rng: random.Random, count: int) -> list[str]:
    """Return the letters of groups that look alike, each time in another respect."""
    by_look, sets = _alike()
    found: list[str] = []
    looks = cycle(rng.sample(_LOOKS, len(_LOOKS)))
    while len(found) < count:
        look = next(looks)
        for one in found[: -NEAR - 1 : -1]:
            alike = by_look[look].get(look(one), ())
            if fresh := [letters for letters in alike if letters not in found]:
                found.append(rng.choice(fresh))
                break
        else:
            pair = rng.sample(rng.choice(sets[look]), 2)
            found += [letters for letters in pair if letters not in found]
    return found[:count]


def _without(absent: bytes) -> Look:
    return lambda letters: (letters.encode().translate(None, absent), len(letters))


def _sum_and_vowels(letters: str) -> object:
    shown = letters.encode()
    return shown.translate(None, b"bcdfghjklmnpqrstvwxyz"), sum(shown)


_LOOKS: Sequence[Look] = (
    _without(b"aeiou"),
    _without(b"lnrst"),
    _without(b"bcdfghjkmpqvwxyz"),
    lambda letters: letters[1:],
    lambda letters: letters[:-1],
    lambda letters: letters[: len(letters) // 2 - 1] + letters[len(letters) // 2 + 1 :],
    lambda letters: (frozenset(letters), len(letters)),
    _sum_and_vowels,
)
"""What a part of the sorted letters of a word tells, or their sum."""


@cache
def _alike() -> tuple[Mapping[Look, Mapping[object, Sequence[str]]], Mapping[Look, Sequence[Any]]]:
    """Return the library's groups of anagrams that look like others, by look and what is seen.

    The second part has them by look alone. Listing them anew would touch memory that workers share.
    """
    long = [letters for letters in groups_by_letters() if len(letters) >= LEAST_LETTERS]
    found: dict[Look, dict[object, list[str]]] = {}
    for look in _LOOKS:
        seen: dict[object, list[str]] = defaultdict(list)
        for letters in long:
            seen[look(letters)].append(letters)
        found[look] = {what: groups for what, groups in seen.items() if len(groups) > 1}
    return found, {look: list(alike.values()) for look, alike in found.items()}


def prepare(dataset: Any, config: Any) -> None:
    """Do what ``__init__`` does, with groups that are read once."""
    super(type(dataset), dataset).__init__(config=config, seed=config.seed, size=config.size)
    dataset.anagrams = anagram_groups()


def grouped(_dataset: Any, words: Sequence[str]) -> list[list[str]]:
    """Put the words with the same letters together, in order."""
    groups: dict[str, list[str]] = defaultdict(list)
    for word in words:
        groups["".join(sorted(word))].append(word)
    return sorted(map(sorted, groups.values()), key=itemgetter(0))


TASK = Task(
    answer=Anagrams(),
    correct=correct,
    verify=all_or_nothing,
    family=letters_after(r"anagrams:\n(.*)"),
    levels=moving(
        anagram_groups=[(7, 7), (8, 11), (12, 16), (17, 23), (24, 32)],
        words_per_group=[(2, 4), (2, 4), (2, 5), (3, 5), (3, 5)],
    ),
    faster={
        "algorithmic.group_anagrams:GroupAnagramsDataset:__init__": prepare,
        "algorithmic.group_anagrams:GroupAnagramsDataset:_group_anagrams": grouped,
    },
)
