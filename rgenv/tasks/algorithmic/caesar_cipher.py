"""Decrypt a text whose letters were shifted."""

from collections import Counter
from functools import cache
from itertools import pairwise
from random import Random
from re import findall
from string import ascii_uppercase as alphabet

from reasoning_gym.data import read_data_file

from rgenv.tasks import Entry, Task, changed, moving, part_of, random_of
from rgenv.tasks.answers.texts import Text


class Capitals(Text):
    """Words in any case; the question shows the cipher in capitals."""

    name = "text"

    def read(self, text: str, entry: Entry) -> str | None:
        return " ".join(text.upper().split()) or None


WORD_LIST = "words.csv"
LETTERS = 5
MOST, MOST_IN_PLACE = {1: 140, 2: 12, 3: 5}, {1: 50, 2: 4, 3: 5}
"""How often so many letters in a row may be in all words, and how often in one place."""


def correct(entry: Entry) -> Entry:
    """Return an entry with as many words of a list, with the same rotation.

    In sentences E is frequent, and THE and A are words: to find one of them is to find the key,
    and the easier the longer the text is. It takes the frequencies of all letters, or words, to
    find the key here. The library also enciphers "Ë" as if it were "I".
    """
    meta = entry["metadata"]
    clear = " ".join(random_of(entry).sample(_words(), meta["num_words"]))
    rotated = alphabet[meta["rotation"] :] + alphabet[: meta["rotation"]]
    cipher = clear.translate(str.maketrans(alphabet, rotated))
    question = entry["question"].replace(f": {meta['cipher_text']}. ", f": {cipher}. ")
    return changed(entry, question, clear, cipher_text=cipher, clear_text=clear)


@cache
def _words() -> list[str]:
    """Return words of one length, of different letters; none, and no pair, is frequent anywhere.

    Those with few vowels come first, so that no vowel is more frequent than a consonant.
    """
    found = set(findall("[A-Z]+", read_data_file(WORD_LIST).upper()))
    fitting = sorted(word for word in found if len(word) == len(set(word)) == LETTERS)
    Random(0).shuffle(fitting)
    fitting.sort(key=lambda word: len(set(word) & set("AEIOU")))
    amounts, words = Counter[object](), list[str]()
    for word in fitting:
        runs = [(n, word[n : n + size]) for size in MOST for n in range(LETTERS - size + 1)]
        if all(
            amounts[run] < MOST[len(run)] and amounts[place, run] < MOST_IN_PLACE[len(run)]
            for place, run in runs
        ):
            amounts.update([*runs, *(run for _, run in runs)])
            words.append(word)
    return words


def family(entry: Entry) -> object:
    """Keep the distances of the letters in each word; ignore rotation of the alphabet, order of the
    words.
    """
    words = part_of(r"cipher text: (.*)\. Provide", entry).split()
    return sorted([(ord(b) - ord(a)) % len(alphabet) for a, b in pairwise(word)] for word in words)


TASK = Task(
    answer=Capitals(),
    correct=correct,
    family=family,
    # Level 2 of the curriculum asks for rotations above 25.
    levels=moving(
        words=[(3, 4), (5, 6), (7, 9), (10, 11), (12, 14)],
        rotation=[(1, 13), (1, 16), (2, 19), (3, 21), (5, 21)],
    ),
    prepared=("delimiter", "min_words", "max_words"),
)
