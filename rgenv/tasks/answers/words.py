"""Words and truth values, in any case."""

import random
import re

from rgenv.tasks.answers.kind import Answer, Forms
from rgenv.tasks.entry import Entry


class Word(Answer):
    """A word, or a few, of which neither case nor the width of spaces matters."""

    name = "word"

    def read(self, text: str, entry: Entry) -> str | None:
        reference = str(entry["answer"])
        given, right = (" ".join(each.split()) for each in (text, reference))
        return reference if given.casefold() == right.casefold() else given

    def forms(self, reference: str, question: str) -> Forms:
        return {
            "lower case": reference.lower(),
            "upper case": reference.upper(),
            "capitalized": reference.capitalize(),
        }


class Choice(Word):
    """One of a few fixed words.

    Args:
        words: all of them.
    """

    def __init__(self, *words: str) -> None:
        self._words = words
        self.name = "yes/no" if set(words) in ({"Yes", "No"}, {"True", "False"}) else "choice"

    def misses(self, reference: str, question: str, rng: random.Random) -> Forms:
        others = [word for word in self._words if word.lower() != reference.lower()]
        return {f"other {number}": word for number, word in enumerate(others[:4], 1)}


class WordOfQuestion(Word):
    """A word that the question has among others of its kind.

    Args:
        pattern: finds these words in a question.
        any_case: whether other cases of the word are forms that people write.
    """

    def __init__(self, pattern: str, *, any_case: bool = True) -> None:
        self._pattern = pattern
        self._any_case = any_case

    def forms(self, reference: str, question: str) -> Forms:
        return super().forms(reference, question) if self._any_case else {}

    def misses(self, reference: str, question: str, rng: random.Random) -> Forms:
        found = sorted(set(re.findall(self._pattern, question)) - {reference})
        return {f"other {n}": word for n, word in enumerate(rng.sample(found, min(3, len(found))))}
