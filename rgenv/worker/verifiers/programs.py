"""Verifier for codeio, whose questions ask for the output of a program or for an input to it.

    codeio('{"n": 9}', entry, library)    # 1.0 if the item's program returns the item's output

Not here: running programs (rgenv/worker/programs).
"""

from __future__ import annotations

from rgenv.tasks.entry import Entry
from rgenv.worker.programs import gives_output
from rgenv.worker.programs.equality import are_equal
from rgenv.worker.programs.reading import MISSING, read_value
from rgenv.worker.programs.source import asks_for_input
from rgenv.worker.verifiers.shared import LibraryVerifier, is_reference_answer


def codeio(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 for the right output, or for any input that gives the output.

    An output is compared by value. A float may be rounded, to six significant digits or more. A
    string may stand without quotes. The library compares text, and gives 0.5 or more for the right
    keys, which the question lists.
    """
    if is_reference_answer(answer, entry):
        return 1.0
    right = read_value(str(entry["answer"]), finite=False)
    given = read_value(answer, finite=False)
    if asks_for_input(str(entry["question"])):
        return float(_same(given, right, rounded=False) or gives_output(answer, entry))
    is_bare_string = isinstance(right, str) and answer.strip() == right.strip() != ""
    return float(is_bare_string or _same(given, right, rounded=True))


def _same(given: object, right: object, *, rounded: bool) -> bool:
    is_read = given is not MISSING and right is not MISSING
    return is_read and are_equal(given, right, rounded=rounded)
