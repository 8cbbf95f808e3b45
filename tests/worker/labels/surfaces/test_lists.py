"""Lists that have to be read to the last letter."""

import json
from collections import Counter
from itertools import groupby

import pytest

from rgenv.tasks.algorithmic.group_anagrams import correct as group_anagrams
from rgenv.tasks.algorithmic.number_sorting import correct as number_sorting
from rgenv.tasks.algorithmic.word_sorting import correct as word_sorting
from tests.worker.labels.surfaces.served import LEVELS, made, served


def anagrams(words: list[str]) -> list[list[str]]:
    """Return the groups of words with the same letters."""
    key = sorted
    return sorted(sorted(group) for _, group in groupby(sorted(words, key=key), key=key))


@pytest.mark.parametrize("level", LEVELS)
def test_groups_of_anagrams_look_alike(level: float | None) -> None:
    """The answer has all words, and length, vowels and outermost letters do not tell groups."""
    entries = served(group_anagrams, "group_anagrams", level, 60)
    told = 0
    for entry in entries:
        words = json.loads(entry["question"].strip().rpartition("\n")[2])
        groups = json.loads(entry["answer"])
        assert groups == anagrams(words) == entry["metadata"]["solution"]
        assert len(set(words)) == len(words) == len(entry["metadata"]["words"])
        looks = {
            (len(g[0]), min(g[0]), max(g[0]), *(g[0].count(v) for v in "aeiou")) for g in groups
        }
        told += len(looks) == len(groups)
    assert told < 10


def test_groups_keep_their_number() -> None:
    """As many groups are asked for as the library made, none of them larger."""
    for before in made("group_anagrams", None, 60):
        after = json.loads(group_anagrams(before)["answer"])
        groups = json.loads(before["answer"])
        assert len(after) == len(groups) and sum(map(len, after)) <= sum(map(len, groups))
        assert min(map(len, after)) >= 2


@pytest.mark.parametrize("level", LEVELS)
def test_numbers_share_their_whole_part(level: float | None) -> None:
    """The answer has all numbers in order, and most of them share the whole part with another."""
    for before, entry in zip(
        made("number_sorting", level, 60),
        served(number_sorting, "number_sorting", level, 60),
        strict=True,
    ):
        shown = entry["question"].split("order: ")[1].split("\n")[0].split(", ")
        down = entry["metadata"]["direction"] == "descending"
        assert entry["answer"] == str(sorted(shown, key=float, reverse=down))
        assert (
            len(set(map(float, shown))) == len(shown) == len(before["metadata"]["sorted_numbers"])
        )
        low, high = entry["metadata"]["difficulty"]["value"]
        assert all(low <= float(number) <= high for number in shown)
        whole = Counter(number.split(".")[0].lstrip("-") for number in shown)
        assert len(whole) <= max(1, len(shown) // 5)


def test_whole_numbers_stay() -> None:
    """A list without decimals is the library's."""
    (entry, *_) = made("number_sorting", None, 1)
    difficulty = {**entry["metadata"]["difficulty"], "decimals": (0, 0)}
    whole = {**entry, "metadata": {**entry["metadata"], "difficulty": difficulty}}
    assert number_sorting(whole) is whole


@pytest.mark.parametrize("level", LEVELS)
def test_words_begin_alike(level: float | None) -> None:
    """The answer has all words in order; three letters do not decide it, and case matters."""
    entries = served(word_sorting, "word_sorting", level, 60)
    decided = folded = 0
    for entry in entries:
        shown = entry["question"].strip().rpartition(": ")[2].split(", ")
        down = entry["metadata"]["direction"] == "descending"
        assert entry["answer"] == ", ".join(sorted(shown, reverse=down))
        assert len(set(shown)) == len(shown) == entry["metadata"]["num_words"]
        low, high = entry["metadata"]["difficulty"]["word_length"]
        assert all(low <= len(word) <= high for word in shown)
        decided += len({word[:3] for word in shown}) == len(shown)
        folded += sorted(shown) == sorted(shown, key=str.lower)
    assert decided < 3 and folded < 15


def test_words_of_changed_case_stay() -> None:
    """Words in capitals are the library's."""
    (entry, *_) = made("word_sorting", None, 1)
    words = [word.upper() for word in entry["metadata"]["original_words"]]
    changed = {**entry, "metadata": {**entry["metadata"], "transformed_words": words}}
    assert word_sorting(changed) is changed
