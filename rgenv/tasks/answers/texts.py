"""Text that has to be exact, and sentences, where only the spaces may differ."""

from rgenv.tasks.answers.kind import Answer
from rgenv.tasks.entry import Entry


class Text(Answer):
    """A text that is the same to the letter, but for the spaces around it."""

    name = "word"

    def read(self, text: str, entry: Entry) -> str | None:
        return text.strip()


class Sentence(Answer):
    """Words in their order; the width of the spaces does not matter."""

    name = "text"

    def read(self, text: str, entry: Entry) -> str | None:
        return " ".join(text.split()) or None
