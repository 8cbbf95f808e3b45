r"""Find right answers that a model wrote, but not in the required format.

::

    is_misplaced("So it is 42.", "42")          # True: the completion ends with the answer
    is_misplaced("\\boxed{42} is it.", "42")     # True: it is marked as the answer
    is_misplaced("No idea.", "No")              # False

It compares texts, not values, so it misses other forms of an answer. It scores nothing.
"""

import re

MAX_ANSWER = 2_000
"""Characters of a reference answer that is looked for."""

MAX_MARKS = 50
"""Pairs of tags, and boxes, that are looked at."""

_AFTER = 400
"""Characters of signs and tags that may follow an answer at the end."""

_SIGNS = " .*_$`)}\"'!"
_TAG = re.compile(r"</?\w{1,20}>\Z")


def is_misplaced(text: str, answer: str) -> bool:
    """Whether a completion ends with an answer, or marks it with a tag or a box."""
    wanted = _bare(_plain(answer)) if len(answer) <= MAX_ANSWER else ""
    if not wanted:
        return False
    text = text.casefold()
    tail = _bare(_plain(text[-(2 * len(answer) + _AFTER) :]))
    if tail.endswith(wanted):
        before = tail[: -len(wanted)][-1:]
        if not before.isalnum() and before not in ("-", ".", "/", "_"):
            return True
    marked = [part.split("</answer>")[0] for part in text.split("<answer>")[1 : MAX_MARKS + 1]]
    marked += [part.split("}")[0] for part in text.split("\\boxed{")[1 : MAX_MARKS + 1]]
    return any(_bare(_plain(part)) == wanted for part in marked if len(part) <= 2 * MAX_ANSWER)


def _plain(text: str) -> str:
    """Return a text in small letters, with single spaces."""
    return " ".join(text.casefold().split())


def _bare(text: str) -> str:
    """Return a text without the tags and signs at its end."""
    while (shorter := _TAG.sub("", text.rstrip(_SIGNS))) != text:
        text = shorter
    return text
