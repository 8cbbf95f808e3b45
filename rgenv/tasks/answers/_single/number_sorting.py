"""Sorted numbers."""

from __future__ import annotations

from rgenv.tasks.answers.kind import Forms
from rgenv.tasks.answers.lists import QuotedNumbers


class SortedNumbers(QuotedNumbers):
    """Numbers in brackets and quotes, with any zeros at the end."""

    def forms(self, reference: str, question: str) -> Forms:
        found = [item.strip(" '") for item in reference.strip("[]").split(",")]
        short = [f"{item}0".rstrip("0").rstrip(".") if "." in item else item for item in found]
        return super().forms(reference, question) | {"no zeros at the end": str(short)}
