"""Restore the order of the words of a sentence."""

import re
from functools import cache

from reasoning_gym.data import read_data_file

from rgenv.tasks import Entry, LibraryVerifier, Task, changed, moving
from rgenv.tasks.answers.texts import Sentence
from rgenv.tasks.rewriting import SENTENCE_TEXT
from rgenv.tasks.symmetries import words_after
from rgenv.tasks.verifying import MAX_TEXT, order_score

_ENDS = re.compile(r"(?<=[.!?])(?<!\b(?:Mr|Dr|Ms|St|No)\.)(?<!\bMrs\.)\s+(?=[A-Z])")
_WHOLE = re.compile(r"[A-Z][\w,;:'’$%() -]*[.!?]")


def correct(entry: Entry) -> Entry | None:
    """Return the entry with the sentence of the text that has the words of the question.

    The library puts equal words side by side. None if they are a part of a sentence, which the
    library cuts behind "Mr." and has with quotation marks, or if they are shown in order.
    """
    shown = entry["question"].partition(": ")[2]
    answer = _sentences().get(_sorted_words(shown))
    if answer is None or answer == shown:
        return None
    return changed(entry, entry["question"], answer)


@cache
def _sentences() -> dict[tuple[str, ...], str | None]:
    """Return the sentences of the text by their words; None for words of two sentences."""
    found: dict[tuple[str, ...], str | None] = {}
    for paragraph in re.split(r"\n\s*\n", read_data_file(SENTENCE_TEXT).replace('"', "")):
        for sentence in _ENDS.split(" ".join(paragraph.split())):
            if _WHOLE.fullmatch(sentence):
                words = _sorted_words(sentence)
                found[words] = sentence if found.get(words, sentence) == sentence else None
    return found


def _sorted_words(text: str) -> tuple[str, ...]:
    return tuple(sorted(text.lower().split()))


def verify(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Give credit if more than half of the words are in place.

    The library gives 0.13 to the sentence as the question shows it.
    """
    given, right = (text[:MAX_TEXT].lower().split() for text in (answer, entry["answer"]))
    return order_score(given, right)


TASK = Task(
    answer=Sentence(),
    also_right="nothing: another order may be English, too, which no program proves",
    correct=correct,
    verify=verify,
    family=words_after(r"sentence: (.*)"),
    # The text has 350 whole sentences, few of them with more than 40 words.
    levels=moving(words_in_sentence=[(4, 8), (6, 12), (10, 18), (15, 28), (20, 48)]),
    prepared=("min_words_in_sentence", "max_words_in_sentence"),
    accepted={"shortcut": "the text has few sentences, and the number of letters tells which"},
)
