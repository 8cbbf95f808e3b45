"""Decrypt a text whose letters were shifted."""

from functools import cache
from string import ascii_uppercase as alphabet

from reasoning_gym.data import read_data_file

from rgenv.tasks import Entry, Task, changed, moving, part_of, random_of
from rgenv.tasks.answers.texts import Text
from rgenv.tasks.rewriting import SENTENCE_TEXT
from rgenv.tasks.symmetries import letter_pattern


class Capitals(Text):
    """Words in any case; the question shows the cipher in capitals."""

    name = "text"

    def read(self, text: str, entry: Entry) -> str | None:
        return " ".join(text.upper().split()) or None


def correct(entry: Entry) -> Entry:
    """Return an entry with as many words from any place in the text, with the same rotation.

    The library has 70 sentences of some lengths, so a policy may know them by the lengths of their
    words. It also enciphers "Ë" as if it were "I".
    """
    meta, words = entry["metadata"], _words()
    start = random_of(entry).randrange(len(words) - meta["num_words"] + 1)
    clear = " ".join(words[start : start + meta["num_words"]])
    rotated = alphabet[meta["rotation"] :] + alphabet[: meta["rotation"]]
    cipher = clear.translate(str.maketrans(alphabet, rotated))
    question = entry["question"].replace(f": {meta['cipher_text']}. ", f": {cipher}. ")
    return changed(entry, question, clear, cipher_text=cipher, clear_text=clear)


@cache
def _words() -> list[str]:
    words = read_data_file(SENTENCE_TEXT).split()
    return [word.upper() for word in words if word.isalpha() and word.isascii()]


def family(entry: Entry) -> object:
    """Keep the pattern of each word; ignore rotation of the alphabet, order of the words."""
    return sorted(map(letter_pattern, part_of(r"cipher text: (.*)\. Provide", entry).split()))


TASK = Task(
    answer=Capitals(),
    correct=correct,
    family=family,
    # Level 2 of the curriculum asks for rotations above 25.
    levels=moving(
        words=[(3, 5), (5, 8), (9, 14), (14, 20), (20, 30)],
        rotation=[(1, 13), (1, 16), (2, 19), (3, 21), (5, 21)],
    ),
    prepared=("delimiter", "min_words", "max_words"),
)
