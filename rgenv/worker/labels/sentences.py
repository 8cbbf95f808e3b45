"""Corrections for sentences and words: shuffled, enciphered, or drawn with characters.

Example::

    sentence_reordering(entry)    # a whole sentence, where the library's ends after "Mr."

Sentences and ciphers are of one short text that the library has. The library cuts it at each full
stop, so some of its sentences end at an abbreviation, or begin with the quotation mark that ends
the one before.
"""

from __future__ import annotations

import re
import string
from functools import cache

import pyfiglet
from reasoning_gym.data import read_data_file

from rgenv.tasks.entry import Entry
from rgenv.worker.labels.surfaces.shared import random_of

TEXT = "in_the_year_2889.txt"

_SENTENCE_ENDS = re.compile(r"(?<=[.!?])(?<!\b(?:Mr|Dr|Ms|St|No)\.)(?<!\bMrs\.)\s+(?=[A-Z])")
_SENTENCE = re.compile(r"[A-Z][\w,;:'’$%() -]*[.!?]|[A-Z].*\b(?:Mr|Mrs|Dr)\. [A-Z][\w,;:' -]*[.!?]")


def sentence_reordering(entry: Entry) -> Entry | None:
    """Return an entry with another sentence of the text, of a length that is asked for.

    It begins with a capital letter, has no quotation marks and no other sentence's words. None if
    there is no such sentence, or if the question would show it in order.
    """
    least, most = entry["metadata"]["difficulty"]["words_in_sentence"]
    sentences = [text for text in _sentences() if least <= _number_of_words(text) <= most]
    if not sentences:
        return None
    rng = random_of(entry)
    answer = rng.choice(sentences)
    shuffled = rng.sample(words := answer.split(), len(words))
    if shuffled == words:
        return None
    head, _, _ = entry["question"].partition(": ")
    metadata = {**entry["metadata"], "word_count": _number_of_words(answer)}
    question = f"{head}: {' '.join(shuffled)}"
    return {**entry, "question": question, "answer": answer, "metadata": metadata}


def _number_of_words(text: str) -> int:
    return len(re.findall(r"\b\w+\b", text))


@cache
def _sentences() -> list[str]:
    """Return the sentences of the text, without those that have the same words in another order."""
    text = re.sub(r'["_]|\[.*?\]', "", read_data_file(TEXT))
    alike: dict[tuple[str, ...], set[str]] = {}
    for paragraph in re.split(r"\n\s*\n", text):
        for sentence in _SENTENCE_ENDS.split(" ".join(paragraph.split())):
            if _SENTENCE.fullmatch(sentence):
                alike.setdefault(tuple(sorted(sentence.lower().split())), set()).add(sentence)
    return sorted(sentence for same in alike.values() if len(same) == 1 for sentence in same)


def caesar_cipher(entry: Entry) -> Entry:
    """Return an entry with as many words from any place in the text, with the same rotation.

    The library has 70 sentences of some lengths, so a policy may know them by the lengths of their
    words. It also enciphers "Ë" as if it were "I".
    """
    words, number = _words(), entry["metadata"]["num_words"]
    start = random_of(entry).randrange(len(words) - number + 1)
    clear = " ".join(words[start : start + number])
    upper, rotation = string.ascii_uppercase, entry["metadata"]["rotation"]
    cipher = clear.translate(str.maketrans(upper, upper[rotation:] + upper[:rotation]))
    old = entry["metadata"]["cipher_text"]
    metadata = {**entry["metadata"], "cipher_text": cipher, "clear_text": clear}
    question = entry["question"].replace(f": {old}. ", f": {cipher}. ")
    return {**entry, "question": question, "answer": clear, "metadata": metadata}


@cache
def _words() -> list[str]:
    """Return the words of the text that have letters only, in capital letters."""
    words = read_data_file(TEXT).split()
    return [word.upper() for word in words if word.isalpha() and word.isascii()]


def figlet_font(entry: Entry) -> Entry | None:
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


def string_manipulation(entry: Entry) -> Entry | None:
    """Return the entry; None if a rule replaces all of a string and deletes its last character.

    The library makes "aa" of "cb" by that rule, and does not delete the second "a".
    """
    meta = entry["metadata"]
    deletes = any("delete the last character" in rule for rule in meta["selected_rules"])
    return None if deletes and "cb" in meta["states"] else entry
