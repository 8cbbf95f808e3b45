"""What a kind of answer is, and how an answer of a kind gets the form that verifiers know."""

import random

from rgenv.tasks.answers.wrappers import unwrap
from rgenv.tasks.entry import Entry

Forms = dict[str, str]
"""Name of a form, or of a change -> the text."""


class Answer:
    """How answers to the problems of a task may be written. This one knows a single form.

    Attributes:
        name: of the kind, for lists of tasks; one of `rgenv.catalog.entries.KINDS`.
        must_be_read: whether a text that can't be read is no answer at all, because the library's
            verifier would pick a value out of it or evaluate it.
        longest: characters of a text that is read; right answers have a tenth of it, or less.
        extendable: whether a right answer with more after it may still be right, as with moves.
    """

    name = "any"
    must_be_read = False
    longest = 25_000
    extendable = False

    def read(self, text: str, entry: Entry) -> str | None:
        """Return the form in which the library writes the value of `text`; None if it has none.

        No two values get one form. It takes time in proportion to the length of the text, and
        raises nothing.

        Args:
            text: an answer without its wrappers.
            entry: the entry that it answers.
        """
        return text

    def forms(self, reference: str, question: str) -> Forms:
        """Return other forms of a right answer, those that a fair reader of the question accepts.

        Where a question prescribes a form, such as two factors separated by ×, no other one counts.

        Args:
            reference: a right answer, as the library writes it.
        """
        return {}

    def misses(self, reference: str, question: str, rng: random.Random) -> Forms:
        """Return wrong answers in the form of a right one: a number, item, cell or move changed.

        Where a question has several right answers, a change breaks a rule of the question, or
        `may_be_right` says that it may be one of them. `near_misses` leaves out what is blank or
        `reference` itself.

        Args:
            rng: chooses what is changed.
        """
        return {}

    def may_be_right(self, text: str, question: str) -> bool:
        """Return whether a changed answer may answer the question after all."""
        return False


TEXT = Answer()
"""The kind of text that is an answer to the letter."""


_WITHOUT_INVISIBLE = dict.fromkeys([0xAD, *range(0x200B, 0x2010), *range(0x2060, 0x2065), 0xFEFF])
"""Characters without width, which models write. Those that change the order of others stay."""


def _visible(text: str) -> str:
    return text if text.isascii() else text.translate(_WITHOUT_INVISIBLE)


def canonical(kind: Answer, text: str, entry: Entry) -> str:
    """Return an answer in the form in which the library writes answers of its kind.

    This is `text` itself if it is the reference answer; otherwise the text within its wrappers, in
    the library's form if it can be read.
    """
    reference = str(entry["answer"])
    if text == reference:
        return text
    if _visible(reference) == reference:
        text = _visible(text) or text
    inner = unwrap(text, reference)
    if inner == reference:
        return inner
    form = kind.read(inner, entry) if len(inner) <= kind.longest else None
    return form if form is not None else "" if kind.must_be_read else inner
