"""Words and truth values, in any case."""

from rgenv.tasks.answers.kind import Answer
from rgenv.tasks.entry import Entry


class Word(Answer):
    """A word, or a few, of which neither case nor the width of spaces matters."""

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
        self._words = words
        self.name = "yes/no" if set(words) in ({"Yes", "No"}, {"True", "False"}) else "choice"


class WordOfQuestion(Word):
    """A word that the question has among others of its kind.

    Args:
        pattern: finds these words in a question.
        any_case: whether other cases of the word are forms that people write.
    """

    def __init__(self, pattern: str, *, any_case: bool = True) -> None:
        self._pattern = pattern
        self._any_case = any_case
