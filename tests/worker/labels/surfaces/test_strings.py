"""Strings of which only the order of letters matters."""

from collections import Counter
from statistics import correlation

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reasoning_gym import create_dataset

from rgenv.tasks.algorithmic.binary_alternation import correct as binary_alternation
from rgenv.tasks.algorithmic.binary_alternation import fewest_swaps
from rgenv.tasks.algorithmic.isomorphic_strings import correct as isomorphic_strings
from rgenv.tasks.algorithmic.isomorphic_strings import is_isomorphic
from rgenv.tasks.algorithmic.ransom_note import correct as ransom_note
from rgenv.tasks.algorithmic.string_insertion import correct as string_insertion
from tests.worker.labels.surfaces.served import LEVELS, served, share


def maps(first: str, second: str) -> bool:
    """Return whether each letter always meets the same letter of the other string."""
    pairs = set(zip(first, second, strict=True))
    return all((a == c) == (b == d) for a, b in pairs for c, d in pairs)


@given(st.text("abc", max_size=6), st.text("xyz", min_size=6, max_size=6))
def test_isomorphism_is_a_one_to_one_map(first: str, second: str) -> None:
    """Two strings are isomorphic if equal letters are where equal letters are in the other one."""
    second = second[: len(first)]
    assert is_isomorphic([*first], [*second]) == maps(first, second)


@pytest.mark.parametrize("level", LEVELS)
def test_isomorphic_strings_look_like_others(level: float | None) -> None:
    """Both strings have the same pattern of frequencies, and half of the pairs are isomorphic."""
    entries = served(isomorphic_strings, "isomorphic_strings", level, 120)
    assert len(entries) >= 110 and 0.35 < share(entries, "True") < 0.65
    for entry in entries:
        first, second = entry["question"].strip().rpartition("\n")[2].split()
        assert sorted(Counter(first).values()) == sorted(Counter(second).values())
        assert entry["answer"] == str(maps(first, second)) == str(entry["metadata"]["solution"])
        assert len(set(first)) < len(first), "without a repeated letter nothing can go wrong"


def breadth_first_swaps(string: str) -> int:
    """Return the fewest swaps that make a string alternate, by trying all; -1 if none do."""
    seen, frontier, swaps = {string}, {string}, 0
    while frontier:
        if any("00" not in s and "11" not in s for s in frontier):
            return swaps
        swapped = set()
        for s in frontier:
            for i in range(len(s)):
                for j in range(i):
                    swapped.add(s[:j] + s[i] + s[j + 1 : i] + s[j] + s[i + 1 :])
        frontier = swapped - seen
        seen |= frontier
        swaps += 1
    return -1


@given(st.text("01", min_size=1, max_size=7))
def test_swaps_are_the_fewest(string: str) -> None:
    """The number of swaps is what an exhaustive search finds."""
    assert fewest_swaps(string) == breadth_first_swaps(string)


@pytest.mark.parametrize("level", LEVELS)
def test_the_number_of_swaps_does_not_follow_from_the_length(level: float | None) -> None:
    """Swaps and length are not correlated, and few strings can't alternate."""
    entries = served(binary_alternation, "binary_alternation", level, 400)
    assert len(entries) == 400 and 0.02 < share(entries, "-1") < 0.12
    for entry in entries:
        string = entry["question"].split()[-1]
        assert entry["answer"] == str(fewest_swaps(string))
        assert string == entry["metadata"]["string"]
    lengths = [len(entry["metadata"]["string"]) for entry in entries if entry["answer"] != "-1"]
    swaps = [int(entry["answer"]) for entry in entries if entry["answer"] != "-1"]
    assert min(swaps) >= 1
    assert len(set(lengths)) == 1 or abs(correlation(lengths, swaps)) < 0.2


def test_the_ends_of_a_string_do_not_tell_the_swaps() -> None:
    """Equal digits begin a string of few swaps about as often as one of many."""
    begins: dict[bool, list[bool]] = {True: [], False: []}
    for entry in served(binary_alternation, "binary_alternation", 0.0, 2000):
        if entry["answer"] in ("2", "4"):
            digits = entry["question"].split()[-1]
            begins[entry["answer"] == "2"].append(digits[0] == digits[1])
    few, many = (sum(equal) / len(equal) for equal in begins.values())
    assert abs(few - many) < 0.08


@pytest.mark.parametrize("level", LEVELS)
def test_any_letter_of_the_note_may_be_missing(level: float | None) -> None:
    """Notes of either answer have the same lengths, and one letter is missing once at most."""
    entries = served(ransom_note, "ransom_note", level, 400)
    assert len(entries) == 400 and 0.4 < share(entries, "True") < 0.6
    frequent = 0
    for entry in entries:
        note, magazine = (entry["metadata"][name] for name in ("ransom_note", "magazine"))
        assert f"Ransom note: {note}\nMagazine: {magazine}" in entry["question"]
        missing = Counter(note) - Counter(magazine)
        assert missing.total() == (entry["answer"] == "False")
        frequent += max(note, key=note.count) in missing
    assert frequent < 0.4 * sum(entry["answer"] == "False" for entry in entries)


@pytest.mark.parametrize("level", LEVELS)
def test_the_number_of_useful_letters_says_nothing(level: float | None) -> None:
    """Magazines have as many letters of the note, on average, whether one is missing or not."""
    useful: dict[str, list[int]] = {"True": [], "False": []}
    for entry in served(ransom_note, "ransom_note", level, 400):
        note, magazine = (entry["metadata"][name] for name in ("ransom_note", "magazine"))
        useful[entry["answer"]].append(sum(letter in note for letter in magazine) - len(note))
    enough, short = (sum(numbers) / len(numbers) for numbers in useful.values())
    assert abs(enough - short) < 0.8


@pytest.mark.parametrize("level", LEVELS)
def test_letters_are_inserted_into_most_strings(level: float | None) -> None:
    """A string is its own answer in at most one problem in ten; the library agrees with each."""
    entries = served(string_insertion, "string_insertion", level, 120)
    library = create_dataset("string_insertion", size=1)
    assert len(entries) == 120
    for entry in entries:
        string = entry["metadata"]["string"]
        assert f": {string}\n" in entry["question"]
        assert entry["answer"] == entry["metadata"]["solution"] == library._get_answer(string)
    assert sum(entry["answer"] == entry["metadata"]["string"] for entry in entries) <= 12
