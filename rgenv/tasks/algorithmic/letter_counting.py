"""Count a letter in a text."""

import re
from collections import Counter
from functools import cache

from reasoning_gym.data import read_data_file

from rgenv.tasks import Entry, Number, Task, changed, moving, random_of
from rgenv.tasks.rewriting import SENTENCE_TEXT
from rgenv.tasks.symmetries import words_after

SPANS, MOST_REPEATED = 50, 6
"""Parts of the text among which one is chosen, and the most often that words repeat a letter."""
MOST_WORDS = 2000
"""Words of all those parts: of long parts there are fewer."""


def correct(entry: Entry) -> Entry:
    """Replace text and letter; words repeat the letter any number of times, up to a few.

    Most letters of the library's texts appear once in each word that has them.
    """
    rng, words = random_of(entry), _words()
    length = len(entry["metadata"]["span"])
    found: dict[int, dict[int, tuple[int, str]]] = {}
    for _ in range(max(1, min(SPANS, MOST_WORDS // length))):
        start = rng.randint(0, len(words) - length)
        span = [word.lower() for word in words[start : start + length]]
        having = Counter(letter for word in span for letter in set(word))
        for letter, count in Counter("".join(span)).items():
            repeated = count - having[letter]
            if letter.isalpha() and repeated <= MOST_REPEATED:
                found.setdefault(repeated, {}).setdefault(having[letter], (start, letter))
    head, old, _ = entry["question"].partition(f'"{entry["metadata"]["target_letter"]}"')
    if not found or not old:
        return entry
    places = found[rng.choice(sorted(found))]
    start, letter = places[rng.choice(sorted(places))]
    span = words[start : start + length]
    question = f'{head}"{letter}" appear in the text: "{" ".join(span)}"?'
    answer = str("".join(span).lower().count(letter))
    return changed(entry, question, answer, span=span, target_letter=letter)


@cache
def _words() -> list[str]:
    words = re.findall(r"\b\w+\b", read_data_file(SENTENCE_TEXT))
    return [word for word in words if word.isalnum()]


TASK = Task(
    answer=Number(unit="times?|occurrences?"),
    correct=correct,
    clarify=(("", "Count capital letters as well as small ones."),),
    family=words_after(r'in the text: "(.*)"'),
    levels=moving(words=[(7, 9), (10, 13), (14, 18), (19, 25), (26, 36)]),
    prepared=(),
    accepted={"shortcut": "the task is to count what the question shows"},
)
