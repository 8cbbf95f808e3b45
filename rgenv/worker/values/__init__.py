"""Read answers: one value has many written forms, and a verifier sees only one of them.

    wrappers.py     take one outer wrapper off: boxes, fences, bold, quotes, a full stop
    words.py        words, truth values and plain text
    numbers.py      integers, decimals, fractions, probabilities and times
    expressions.py  formulas, factors and lists of roots

Example::

    canonical("lcm", "**1,134**", entry)    # "1134", as the library writes it

Each module gives the kinds of its tasks in `KINDS`. A kind takes a text without its wrapper and the
data set entry, and returns the text in the form in which the library writes answers of that
task; or None if it can't read the text. A kind never makes two different values equal, takes time
in proportion to the length of the text, and raises nothing.

Not here: whether an answer is right (verifiers/).
"""

from __future__ import annotations

from collections.abc import Mapping

from rgenv.worker.values import words
from rgenv.worker.values.kind import Entry, Kind, plain_text
from rgenv.worker.values.wrappers import unwrap

KINDS: Mapping[str, Kind] = {
    **words.KINDS,
}
"""Task -> what reads its answers, for every task but composite."""

__all__ = ["KINDS", "Entry", "Kind", "canonical"]


def canonical(task: str, text: str, entry: Entry) -> str:
    """Return an answer in the form in which the library writes answers of its task.

    Args:
        task: the name of the task that made `entry`.
        text: the extracted answer.
        entry: the data set entry that the answer belongs to.

    Returns:
        `text` itself if it is the reference answer; otherwise the text within its outer wrapper, in
        the task's form if it can be read as a value of the task's kind.
    """
    reference = str(entry["answer"])
    if text == reference:
        return text
    inner = unwrap(text, reference)
    if inner == reference:
        return inner
    form = KINDS.get(task, plain_text)(inner, entry)
    return inner if form is None else form
