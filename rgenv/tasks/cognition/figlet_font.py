"""Read a word that is drawn with characters."""

import string
from contextlib import nullcontext
from functools import cache
from types import SimpleNamespace
from typing import Any

import pyfiglet

from rgenv.tasks import Entry, LibraryVerifier, Task, Text, moving
from rgenv.tasks.symmetries import words_of_answer
from rgenv.tasks.verifying import credit_above, share_in_place
from rgenv.tasks.word_lists import anagram_groups


class DrawnWord(Text):
    """A word in either case; spaces between its letters are the verifier's business."""

    def read(self, text: str, entry: Entry) -> str | None:
        return text


def correct(entry: Entry) -> Entry | None:
    """Return the entry; None if its picture can't be read, or has the word in plain letters.

    Some fonts have no picture of a letter, or the same for two.
    """
    picture = entry["question"].partition("\n")[2]
    letters = "".join(picture.split()).upper()
    readable = _readable(entry["metadata"]["font"]).issuperset(entry["answer"].upper())
    return entry if readable and letters and entry["answer"].upper() not in letters else None


@cache
def _readable(font: str) -> frozenset[str]:
    """Return the letters that a font draws as no other letter."""
    figlet = pyfiglet.Figlet(font=font)
    pictures = {x: figlet.renderText(x).split() for x in string.ascii_uppercase}
    return frozenset(
        x for x, picture in pictures.items() if picture and [*pictures.values()].count(picture) == 1
    )


def verify(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Give credit if more than two thirds of the letters are in place.

    The library gives 0.1 for each letter in place and ignores what follows.
    """
    given, right = (text.replace(" ", "").strip().lower() for text in (answer, entry["answer"]))
    return credit_above(share_in_place(given, right), 2 / 3)


def _file(name: str) -> Any:
    """Return what the library opens: a file that has groups of words in place of their lines."""
    return SimpleNamespace(open=lambda: nullcontext(anagram_groups()))


TASK = Task(
    answer=DrawnWord(),
    also_right="other case",
    correct=correct,
    verify=verify,
    family=words_of_answer,
    # There are hardly any words with more than 13 letters.
    levels=moving(word_len=[(3, 4), (5, 6), (7, 8), (9, 10), (11, 13)]),
    prepared=("min_word_len", "max_word_len"),
    faster={
        "cognition.figlet_fonts:get_data_file_path": _file,
        "cognition.figlet_fonts:json": SimpleNamespace(loads=lambda words: {"words": words}),
    },
)
