"""What a kind of answer is, and how an answer of a kind gets the form that verifiers know."""

import re

from rgenv.tasks.answers.wrappers import marks_in, unwrap
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


_INVISIBLE = "".join(map(chr, [0xAD, *range(0x200B, 0x2010), *range(0x2060, 0x2065), 0xFEFF]))
"""Characters without width, which models write. Those that change the order of others stay."""
_REMOVED = str.maketrans("", "", _INVISIBLE)
_ESCAPE = re.compile(r"(?<=\d)\\(?=%)|\\(?=\$\d)")
"""The backslash that LaTeX wants in 32% and $5."""


class NoAnswer(Exception):
    """The wrappers of an answer hold nothing."""


def _visible(text: str) -> str:
    return text if text.isascii() else text.translate(_REMOVED)


def canonical(kind: Answer, text: str, entry: Entry) -> str:
    """Return an answer in the form in which the library writes answers of its kind.

    This is `text` itself if it is the reference answer; otherwise the text within its wrappers, in
    the library's form if it can be read.

    Raises:
        NoAnswer: nothing is left, and the reference answer is not that.
    """
    reference = str(entry["answer"])
    if text == reference:
        return text
    are_noise = _visible(reference) == reference  # in an emoji of several people they are not
    text = (_visible(text) if are_noise else text.strip(_INVISIBLE)) or text
    kept = frozenset[str]()
    if type(kind) is Answer:  # to the letter
        text = text if "\\" in reference else _ESCAPE.sub("", text)
        kept = marks_in(unwrap(text) if entry["answer"] is None else reference)
    inner = unwrap(text, reference, kept)
    if inner == reference:
        return inner
    if not inner.strip():
        raise NoAnswer
    form = kind.read(inner, entry) if len(inner) <= kind.longest else None
    return form if form is not None else "" if kind.must_be_read else inner
