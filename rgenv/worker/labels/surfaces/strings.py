"""Questions on strings whose answer can't be seen in lengths and counts of letters.

Example::

    isomorphic_strings(entry)    # the library's two strings have 8 letters if "True", 9 if "False"
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from random import Random
from string import ascii_lowercase

from rgenv.tasks.entry import Entry
from rgenv.worker.labels.surfaces.shared import random_of, with_solution

# --- isomorphic_strings -------------------------------------------------------------------------

SHORTEST, MAX_SWAPS = 6, 200
"""Letters of a string, and swaps of two letters to try before an entry is given up."""


def isomorphic_strings(entry: Entry) -> Entry | None:
    """Replace both strings; one swap of letters is all that makes them not isomorphic.

    Whatever the answer, both have the same length and the same numbers of equal letters, of which
    none are next to each other.
    """
    rng = random_of(entry)
    meta = entry["metadata"]
    words = meta["words"]
    first, isomorphic, other = _strings(rng, max(SHORTEST, meta["string_length"]))
    head = entry["question"].removesuffix(f"{words[0]} {words[1]}\n")
    if other is None or head == entry["question"]:
        return None
    solvable = rng.random() < 0.5
    second = isomorphic if solvable else other
    return with_solution(
        entry, f"{head}{first} {second}\n", solvable, words=[first, second], solvable=solvable
    )


def _strings(rng: Random, length: int) -> tuple[str, str, str | None]:
    """Return a string, an isomorphic one, and that one after a swap, None if no swap was found."""
    letters = rng.sample(ascii_lowercase, rng.randint(3, max(3, min(26, length * 2 // 3))))
    # Most often a swap that changes the pattern is found here: a b a c, a b c a.
    first = [letters[0], letters[1], letters[0], letters[2]]
    while len(first) < length:
        first.append(rng.choice([letter for letter in letters if letter != first[-1]]))
    first = first[:: rng.choice((1, -1))]
    image = dict(zip(letters, rng.sample(ascii_lowercase, len(letters)), strict=True))
    second = [image[letter] for letter in first]
    for _ in range(MAX_SWAPS):
        swapped = second.copy()
        i, j = rng.sample(range(length), 2)
        swapped[i], swapped[j] = swapped[j], swapped[i]
        if not is_isomorphic(first, swapped) and not _has_double_letter(swapped):
            return "".join(first), "".join(second), "".join(swapped)
    return "".join(first), "".join(second), None


def _has_double_letter(letters: list[str]) -> bool:
    return any(one == other for one, other in pairwise(letters))


def is_isomorphic(first: list[str], second: list[str]) -> bool:
    """Return whether replacing letters one to one turns one list of letters into the other."""
    return len(set(zip(first, second, strict=True))) == len(set(first)) == len(set(second))


# --- binary_alternation -------------------------------------------------------------------------

IMPOSSIBLE_SHARE = 0.04
"""The share of strings that can't alternate. Their counts of digits give them away."""


def binary_alternation(entry: Entry) -> Entry | None:
    """Replace the string; the number of swaps is uniform, and independent of the string's length.

    In the library's strings it is about a quarter of the length, and impossible for one in five.
    """
    rng = random_of(entry)
    meta = entry["metadata"]
    shortest, longest = meta["difficulty"]["n"]
    # All strings have as many of each digit and need less than a quarter of their length: otherwise
    # a problem that a rule on lengths and counts solves would be one with a certain length.
    most = max(3, longest // 4 - 1)
    least = max(2, most // 2)
    lengths = [n for n in range(shortest, longest + 1) if n % 2 == 0 and n // 4 > most]
    length = rng.choice(lengths or [4 * (most + 1)])
    swaps = rng.randint(least, most)
    digits = _swapped(rng, length, swaps, rng.randint(2, 4 * least))
    if digits is None:
        return None
    # Fewer digits are in wrong places than in right ones, so blocks at the ends would tell which.
    start = rng.randrange(length)
    digits = digits[start:] + digits[:start]
    if rng.random() < IMPOSSIBLE_SHARE:
        place = rng.randrange(length)
        digits[place] = "10"[int(digits[place])]
        swaps = -1
    string = "".join(digits)
    question = entry["question"].replace(f": {meta['string']}\n", f": {string}\n")
    if fewest_swaps(string) != swaps or not question.endswith(f": {string}\n"):
        return None
    return with_solution(entry, question, swaps, string=string, solvable=swaps >= 0, n=length)


def _swapped(rng: Random, length: int, swaps: int, blocks: int) -> list[str] | None:
    """Return alternating digits after `swaps` swaps of a 0 and a 1; None if no places are found.

    Digits in their places and others make up `blocks` blocks, so that the number of equal digits
    next to each other says nothing about the swaps. The first digit is wrong half of the time.
    """
    for _ in range(MAX_SWAPS):
        wrong_first = rng.randrange(2)
        wrong = _parts(rng, 2 * swaps, (blocks + wrong_first) // 2)
        right = _parts(rng, length - 2 * swaps, (blocks + 1 - wrong_first) // 2)
        places: list[int] = []
        start = 0
        for block in range(blocks):
            is_wrong = block % 2 != wrong_first
            size = (wrong if is_wrong else right).pop()
            places += range(start, start + size) if is_wrong else ()
            start += size
        if sum(place % 2 for place in places) == swaps:
            first = rng.randrange(2)
            digits = ["01"[(first + i) % 2] for i in range(length)]
            for i in places:
                digits[i] = "10"[int(digits[i])]
            return digits
    return None


def _parts(rng: Random, total: int, count: int) -> list[int]:
    """Return `count` positive numbers that add up to `total`."""
    cuts = [0, *sorted(rng.sample(range(1, total), count - 1)), total]
    return [end - start for start, end in pairwise(cuts)]


def fewest_swaps(string: str) -> int:
    """Return the fewest swaps that make a string of 0 and 1 alternate; -1 if none do.

    A swap puts one 0 and one 1 into their places.
    """
    swaps = []
    for target in ("01" * len(string), "10" * len(string)):
        target = target[: len(string)]
        if target.count("1") == string.count("1"):
            swaps.append(sum(a != b for a, b in zip(string, target, strict=True)) // 2)
    return min(swaps, default=-1)


# --- string_insertion ---------------------------------------------------------------------------

PATTERNS = ("ABCD", "BCDE", "CDEA", "DEAB", "EABC")
"""Where a string has one of these, its first letter is inserted behind it."""
UNCHANGED_SHARE = 0.05
"""The share of strings in which nothing is inserted."""


def string_insertion(entry: Entry) -> Entry | None:
    """Write a pattern into a string that has none, at any place, so that a letter is inserted.

    Nineteen in twenty of the library's strings have none, so that copying them is right.
    """
    rng = random_of(entry)
    string = entry["metadata"]["string"]
    if inserted(string) != string or rng.random() < UNCHANGED_SHARE:
        return entry
    pattern = rng.choice(PATTERNS)
    start = rng.randint(0, len(string) - len(pattern))
    changed = string[:start] + pattern + string[start + len(pattern) :]
    question = entry["question"].replace(f": {string}\n", f": {changed}\n")
    if question == entry["question"]:
        return None
    return with_solution(entry, question, inserted(changed), string=changed)


def inserted(string: str) -> str:
    """Return a string with a letter behind each pattern, found from left to right."""
    return re.sub("|".join(PATTERNS), lambda found: found[0] + found[0][0], string)


# --- ransom_note --------------------------------------------------------------------------------

SHORTEST_NOTE = 26
"""Letters. In a shorter note, to count three of its letters would be half of the work."""
REPEATED, SINGLE = 0.33, 0.12
"""Different letters, for each letter of a note: those it repeats, and the others on average."""
MAX_REPEATED, MAX_SINGLE = 15, 5
"""The most letters that are repeated, and the most others on average: the note lacks some."""
OCCURRENCES = (2, 2, 3, 3, 4)
"""How often a note has a letter that it repeats, one number as likely as the other."""
PAIRS_MISSING = 0.5
"""How likely a letter that the note has twice is the missing one, where another one's share is 1.

The magazine's rarest letter would be missing most of the time otherwise."""
SPARE = (0, 0, 0, 1)
"""How many letters that the note repeats, one number as likely as the other, the magazine has to
spare. It has no others to spare: they are its rarest letters, and never the missing one."""


def ransom_note(entry: Entry) -> Entry | None:
    """Replace both strings; if the answer is False, one letter of the note is missing once.

    It can be any letter that the note repeats, and whatever the answer the magazine has few of most
    letters to spare, and as many letters of the note in all. In the library's notes it is a
    frequent letter, or missing altogether.
    """
    rng = random_of(entry)
    meta = entry["metadata"]
    counts = _letter_counts(rng, max(SHORTEST_NOTE, meta["note_length"]))
    repeated = [letter for letter, number in counts.items() if number > 1]
    spare = {letter: rng.choice(SPARE) for letter in repeated}
    shares = [PAIRS_MISSING if counts[letter] == 2 else 1.0 for letter in repeated]
    scarce = rng.choices(repeated, shares)[0]
    spare[scarce] = 0
    if entry["answer"] == "False":
        rest = [letter for letter in repeated if letter != scarce]
        spare[rng.choice([letter for letter in rest if not spare[letter]] or rest)] += 1
        spare[scarce] = -1
    supply = {letter: number + spare.get(letter, 0) for letter, number in counts.items()}
    others = [letter for letter in ascii_lowercase if letter not in counts]
    length = max(3 * counts.total() // 2, meta["magazine_length"])
    note, magazine = list(counts.elements()), list(Counter(supply).elements())
    magazine += rng.choices(others, k=max(0, length - len(magazine)))
    rng.shuffle(note)
    rng.shuffle(magazine)
    words = {"ransom_note": "".join(note), "magazine": "".join(magazine)}
    solvable = can_be_written(**words)
    head, marker, _ = entry["question"].partition("Ransom note: ")
    if not marker:
        return None
    return with_solution(
        entry,
        f"{head}{marker}{words['ransom_note']}\nMagazine: {words['magazine']}\n",
        solvable,
        **words,
        solvable=solvable,
        note_length=len(note),
        magazine_length=len(magazine),
    )


def _letter_counts(rng: Random, length: int) -> Counter[str]:
    """Return how often each letter of a note of about `length` letters occurs."""
    repeated = min(round(REPEATED * length), MAX_REPEATED)
    # More or fewer of them, so that one more letter of which there is one says little.
    single = rng.randint(1, 2 * min(round(SINGLE * length), MAX_SINGLE) - 1)
    letters = rng.sample(ascii_lowercase, repeated + single)
    counts = Counter(
        {letter: rng.choice(OCCURRENCES) if n < repeated else 1 for n, letter in enumerate(letters)}
    )
    counts.update(rng.choices(letters[:repeated], k=max(0, length - counts.total())))
    return counts


def can_be_written(ransom_note: str, magazine: str) -> bool:
    """Return whether the magazine has all letters of the note, each as often as the note."""
    return Counter(ransom_note) <= Counter(magazine)
