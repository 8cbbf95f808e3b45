"""Restore the order of the words of a sentence."""

from __future__ import annotations

import re
from functools import cache

from reasoning_gym.data import read_data_file

from rgenv.tasks.answers.texts import Sentence
from rgenv.tasks.entry import Entry
from rgenv.tasks.record import Answers, Levels, LibraryVerifier, Task
from rgenv.tasks.rewriting import SENTENCE_TEXT, random_of
from rgenv.tasks.symmetries import words_after
from rgenv.tasks.verifying import MAX_TEXT, order_score

_SENTENCE_ENDS = re.compile(r"(?<=[.!?])(?<!\b(?:Mr|Dr|Ms|St|No)\.)(?<!\bMrs\.)\s+(?=[A-Z])")
_SENTENCE = re.compile(r"[A-Z][\w,;:'’$%() -]*[.!?]|[A-Z].*\b(?:Mr|Mrs|Dr)\. [A-Z][\w,;:' -]*[.!?]")


def correct(entry: Entry) -> Entry | None:
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
    text = re.sub(r'["_]|\[.*?\]', "", read_data_file(SENTENCE_TEXT))
    alike: dict[tuple[str, ...], set[str]] = {}
    for paragraph in re.split(r"\n\s*\n", text):
        for sentence in _SENTENCE_ENDS.split(" ".join(paragraph.split())):
            if _SENTENCE.fullmatch(sentence):
                alike.setdefault(tuple(sorted(sentence.lower().split())), set()).add(sentence)
    return sorted(sentence for same in alike.values() if len(same) == 1 for sentence in same)


def verify(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Give credit if more than half of the words are in place.

    The library gives 0.13 to the sentence as the question shows it.
    """
    given, right = (text[:MAX_TEXT].lower().split() for text in (answer, entry["answer"]))
    return order_score(given, right)


def shortcuts(question: str) -> Answers:
    """Reverse the words, move the last one, or put the capital first and the full stop last."""
    words = question.split(": ", 1)[1].split(" ")
    first = next((word for word in words if word[:1].isupper()), words[0])
    last = next((word for word in words if word[-1:] in ".?!"), words[-1])
    middle = list(words)
    for word in (first, last):
        if word in middle:
            middle.remove(word)
    return {
        "reverse the words": " ".join(words[::-1]),  # .06
        "capital first, stop last": " ".join([first, *middle, last]),  # .31
        "capital first, stop last, reversed between": (  # .26
            " ".join([first, *middle[::-1], last])
        ),
        "last word first": " ".join([words[-1], *words[:-1]]),  # .05
    }


TASK = Task(
    answer=Sentence(),
    correct=correct,
    verify=verify,
    shortcuts=shortcuts,
    family=words_after(r"(?:sentence|words|list): (.*)"),
    # The text has about 400 sentences, few of them with more than 40 words.
    levels=Levels(
        knots={
            "min_words_in_sentence": [3, 6, 10, 15, 20],
            "max_words_in_sentence": [7, 12, 18, 28, 48],
        }
    ),
    prepared=("min_words_in_sentence", "max_words_in_sentence"),
)
