"""Words and truth values, in any case."""

from rgenv.tasks.answers.kind import Answer
from rgenv.tasks.entry import Entry


class Word(Answer):
    """A word or a few; neither case nor the width of spaces matters."""

    name = "word"

    def read(self, text: str, entry: Entry) -> str | None:
        reference = str(entry["answer"])
        given, right = (" ".join(each.split()) for each in (text, reference))
        return reference if given.casefold() == right.casefold() else given


class Choice(Word):
    """One of a few fixed words.

    Args:
        words: all of them.
    """

    def __init__(self, *words: str) -> None:
        self.words = frozenset(map(str.casefold, words))
        self.name = "yes/no" if set(words) in ({"Yes", "No"}, {"True", "False"}) else "choice"
