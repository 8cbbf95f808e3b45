"""What a kind of answer is, and how an answer of a kind gets the form that verifiers know."""

from rgenv.tasks.answers.wrappers import unwrap
from rgenv.tasks.entry import Entry


class Answer:
    """How answers to the problems of a task may be written. This one knows a single form.

    Attributes:
        name: of the kind, for lists of tasks; one of `rgenv.cli.tasks.KINDS`.
        must_be_read: whether a text that can't be read earns nothing, because the library's
            verifier would pick a value out of it or evaluate it.
        longest: characters of a text that is read; right answers have a tenth of it, or less.
    """

    name = "any"
    must_be_read = False
    longest = 25_000

    def read(self, text: str, entry: Entry) -> str | None:
        """Return the form in which the library writes the value of `text`; None if it has none.

        No two values get one form. It takes time in proportion to the length of the text, and
        raises nothing.

        Args:
            text: an answer without its wrappers.
            entry: the entry that it answers.
        """
        return text


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
