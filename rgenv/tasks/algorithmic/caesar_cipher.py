"""Decrypt a text whose letters were shifted."""

from functools import cache
from itertools import pairwise
from re import findall
from string import ascii_uppercase as alphabet

from reasoning_gym.data import read_data_file

from rgenv.tasks import Entry, Task, Text, moving, part_of
from rgenv.tasks.rewriting import SENTENCE_TEXT


class Capitals(Text):
    """Words in any case; the question shows the cipher in capitals."""

    name = "text"

    def read(self, text: str, entry: Entry) -> str | None:
        return " ".join(text.upper().split()) or None


def correct(entry: Entry) -> Entry | None:
    """Return None if another rotation gives words, too, as it may for a single word.

    The library also enciphers "Ë" as if it were "I", which no answer can bring back.
    """
    clear = entry["answer"]
    tables = [str.maketrans(alphabet, alphabet[n:] + alphabet[:n]) for n in range(1, len(alphabet))]
    others = (clear.translate(table).split() for table in tables)
    is_provable = clear.isascii() and not any(_words().issuperset(words) for words in others)
    return entry if is_provable else None


@cache
def _words() -> frozenset[str]:
    """Return the words of the library's text and of a list, in capital letters."""
    texts = read_data_file(SENTENCE_TEXT) + read_data_file("words.csv")
    return frozenset(findall("[A-Z]+", texts.upper()))


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
        words=[(3, 5), (6, 9), (10, 14), (15, 21), (22, 40)],
        rotation=[(1, 13), (1, 16), (2, 19), (3, 21), (5, 21)],
    ),
    prepared=("delimiter", "min_words", "max_words"),
    accepted={"shortcut": "the text has few sentences, and the number of letters tells which"},
)
