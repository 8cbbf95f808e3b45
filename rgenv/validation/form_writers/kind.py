"""What a writer of other forms takes and returns, and what several writers share."""

from __future__ import annotations

import re
from collections.abc import Callable

Forms = dict[str, str]
"""Name of a form -> the answer in that form."""
Writer = Callable[[str, str], Forms]
"""Takes a reference answer and the question."""
MINUS = "\N{MINUS SIGN}"
FULL_WIDTH = str.maketrans("0123456789", "".join(chr(0xFF10 + digit) for digit in range(10)))
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def joined(*writers: Writer) -> Writer:
    """Return a writer of all forms of several writers."""
    return lambda reference, question: {
        name: text for writer in writers for name, text in writer(reference, question).items()
    }


def signs_and_digits(number: str) -> Forms:
    """Full-width digits, and another sign or one more."""
    forms = {"full-width digits": number.translate(FULL_WIDTH)}
    if number.startswith("-"):
        return forms | {"minus sign": number.replace("-", MINUS)}
    return forms | ({"plus": f"+{number}"} if number.strip("0.") else {})


def nothing(reference: str, question: str) -> Forms:
    """A text that has only one form."""
    return {}
