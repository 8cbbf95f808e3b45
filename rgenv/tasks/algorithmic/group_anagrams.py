"""Put words with the same letters together."""

import json
from collections import defaultdict
from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from rgenv.tasks import Answers, Entry, Task, all_or_nothing, changed, moving, tail
from rgenv.tasks.answers.grids import Groups
from rgenv.tasks.rewriting import random_of, replaced
from rgenv.tasks.symmetries import letters_after
from rgenv.tasks.word_lists import anagram_groups


class Anagrams(Groups):
    """Groups of words."""


def harden(entry: Entry) -> Entry:
    """Shuffle the words: to compare neighbours solves all of the library's problems, none of these.

    The library lists them group by group: length and least letter of neighbours solve .54.
    """
    meta = entry["metadata"]
    words = random_of(entry).sample(meta["words"], len(meta["words"]))
    question = replaced(entry["question"], json.dumps(meta["words"]), json.dumps(words))
    return changed(entry, question, entry["answer"], words=words)


def shortcuts(question: str) -> Answers:
    """Put words of the same length together, all of them or neighbours only."""
    words: list[str] = json.loads(tail(question))
    orders = {
        "neighbours of one length": words,  # .58 at the defaults, .19 at .5
        "words of one length": sorted(words, key=len),  # .26 at the defaults, 0 at .5
    }
    return {
        name: json.dumps(sorted(sorted(run) for _, run in groupby(order, key=len)))
        for name, order in orders.items()
    }


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
    also_right="any order of groups and words",
    harden=harden,
    verify=all_or_nothing,
    shortcuts=shortcuts,
    family=letters_after(r"anagrams:\n(.*)"),
    levels=moving(
        anagram_groups=[(3, 6), (7, 11), (12, 16), (17, 23), (24, 32)],
        words_per_group=[(2, 4), (2, 4), (2, 5), (3, 5), (3, 5)],
    ),
    faster={
        "algorithmic.group_anagrams:GroupAnagramsDataset:__init__": prepare,
        "algorithmic.group_anagrams:GroupAnagramsDataset:_group_anagrams": grouped,
    },
)
