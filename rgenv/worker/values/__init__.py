"""Read answers: one value has many written forms, and a verifier sees only one of them.

    wrappers.py       take one outer wrapper off: boxes, fences, bold, quotes, a full stop
    kind.py           what a kind is; plain text
    notation.py       one number in any notation
    numbers.py        integers and decimals, with names and units
    probabilities.py  fractions and probabilities
    measures.py       durations, and angles, lengths and points of triangles
    words.py          words and truth values
    expressions.py    formulas, complex numbers, factors, roots, logic
    lines.py          lines without their bullets and numbers
    lists.py          lists of numbers, words and other items
    grids.py          rows of cells
    boards.py         boards with signs between their cells
    mappings.py       values by name
    moves.py          sequences of moves
    sentences.py      words that form a sentence
    json_values.py    values that have to be JSON

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

from rgenv.worker.coverage import covered
from rgenv.worker.entry import Entry
from rgenv.worker.values import (
    boards,
    expressions,
    grids,
    json_values,
    lists,
    mappings,
    measures,
    moves,
    numbers,
    probabilities,
    sentences,
    words,
)
from rgenv.worker.values.kind import Kind, plain_text
from rgenv.worker.values.wrappers import unwrap

KINDS: Mapping[str, Kind] = {
    **expressions.KINDS,
    **measures.KINDS,
    **numbers.KINDS,
    **probabilities.KINDS,
    **words.KINDS,
    **lists.KINDS,
    **grids.KINDS,
    **boards.KINDS,
    **mappings.KINDS,
    **moves.KINDS,
    **sentences.KINDS,
    **json_values.KINDS,
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
        the task's form if it is covered and the text can be read as a value of its kind.
    """
    reference = str(entry["answer"])
    if text == reference:
        return text
    inner = unwrap(text, reference)
    if inner == reference:
        return inner
    kind = KINDS.get(task, plain_text) if covered(task) else plain_text
    form = kind(inner, entry)
    return inner if form is None else form
