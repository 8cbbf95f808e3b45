"""Work of putting letters and words in order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import pairwise, takewhile

from rgenv.tasks.entry import Entry


def palindrome_generation(entry: Entry) -> float:
    """Count the letters to pair."""
    return float(len(entry["metadata"]["letters"]))


def palindrome_partitioning(entry: Entry) -> float:
    """Count the partitions."""
    return float(len(entry["metadata"]["solution"]))


def ransom_note(entry: Entry) -> float:
    """Count the letters of the magazine that the note asks for: those that have to be counted."""
    note, magazine = (entry["metadata"][name] for name in ("ransom_note", "magazine"))
    return float(len(note) + sum(letter in note for letter in magazine))


def sentence_reordering(entry: Entry) -> float:
    """Count the neighbours in the answer that are not neighbours in the question."""
    shuffled = entry["question"].split(": ", 1)[1].split()
    together = Counter(pairwise(shuffled))
    wanted = Counter(pairwise(entry["answer"].split()))
    return float((wanted - together).total())


def spell_backward(entry: Entry) -> float:
    """Count the letters."""
    return float(len(entry["answer"]))


def word_sequence_reversal(entry: Entry) -> float:
    """Count the words."""
    return float(len(entry["metadata"]["words"]))


def word_sorting(entry: Entry) -> float:
    """Count the letters to compare until all neighbours in the answer are told apart."""
    words = re.split(r",\s*", entry["answer"])
    return float(sum(1 + shared_letters(one, other) for one, other in pairwise(words)))


def shared_letters(one: str, other: str) -> int:
    """Return the length of the longest prefix that two words share."""
    return len(list(takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))))


PROXIES: Mapping[str, Callable[[Entry], float]] = {
    "palindrome_generation": palindrome_generation,
    "palindrome_partitioning": palindrome_partitioning,
    "ransom_note": ransom_note,
    "sentence_reordering": sentence_reordering,
    "spell_backward": spell_backward,
    "word_sequence_reversal": word_sequence_reversal,
    "word_sorting": word_sorting,
}
