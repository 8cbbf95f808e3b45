"""Read an answer that a user typed: the whole completion of a model, or an answer alone.

::

    given = read("4")                           # as if it stood in <answer> tags
    given = read("<think>...</think> <answer>4</answer>")
    given.completion, given.is_whole, given.extracted
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

from rgenv.errors import BadUsage
from rgenv.rollouts.answer_format import extract_answer, format_violation, without_thinking

MOST = 16 * 2**20
"""Bytes that are read from the standard input."""


@dataclass(frozen=True)
class Given:
    """An answer as it is scored.

    Attributes:
        completion: what is scored.
        is_whole: whether it is what the user gave; else that stands inside answer tags.
    """

    completion: str
    is_whole: bool

    @property
    def extracted(self) -> str | None:
        """The answer in the completion; None if its format is broken."""
        return extract_answer(self.completion)


def read(text: str) -> Given:
    """Return what is scored: a text with a think or answer tag as it is, another one inside tags.

    Args:
        text: of the command line; ``-`` stands for that of the standard input.

    Raises:
        BadUsage: the standard input has more than `MOST` bytes.
    """
    if text == "-":
        text = _standard_input()
    has_tags = without_thinking(text) != text or format_violation(text) != "no answer tags"
    return Given(text if has_tags else f"<answer>{text}</answer>", has_tags)


def _standard_input() -> str:
    if sys.stdin.isatty():
        print("Type the answer; Ctrl-D ends it.", file=sys.stderr, flush=True)
    content = sys.stdin.buffer.read(MOST + 1)
    if len(content) > MOST:
        raise BadUsage(f"--answer: the standard input has more than {MOST >> 20} MiB.")
    return content.decode("utf-8", "replace")
