"""Refuse codeio's items that can't be answered.

Example::

    codeio(entry)    # None: the program draws a random number
"""

from __future__ import annotations

from rgenv.tasks.entry import Entry
from rgenv.worker.programs import repeats_output
from rgenv.worker.programs.source import asks_for_input


def codeio(entry: Entry) -> Entry | None:
    """Return the entry; None if its program does not return the output for the input shown.

    The library shows inputs that the program changed, outputs that depend on random numbers, on the
    time or on the order of a set, and empty objects for a program that failed.
    """
    metadata = entry["metadata"]
    if metadata["input_data"] == {} and (
        asks_for_input(entry["question"]) or metadata["output_data"] == {}
    ):
        return None
    return entry if repeats_output(entry) else None
