"""The answer format, as functions of text.

The system prompt (rgenv/prompts.py) asks the model to think inside ``<think>`` and to write one
answer inside ``<answer>``. Only text outside the thinking counts::

    >>> extract_answer("<think>2 or <answer>3</answer>?</think> So <answer> 4 </answer>")
    '4'
    >>> extract_answer("<answer>4</answer> or <answer>5</answer>") is None
    True

Not here: whether an answer is right.
"""

from __future__ import annotations

import re

from rgenv.prompts import SYSTEM_PROMPT, build_messages

__all__ = [  # prompt and format belong together
    "SYSTEM_PROMPT",
    "build_messages",
    "extract_answer",
    "format_violation",
    "opened_thinking",
    "without_thinking",
]

_THINK_TAG = re.compile(r"<(/?)think>", re.IGNORECASE)
_ANSWER_TAG = re.compile(
    r"""
    <(?: (/)answer | answer (?: \s+ [\w:-]+ \s*=\s* (?: "[^"<>]*" | '[^'<>]*' | [^\s<>"'=]+ ) )* )
    \s* >
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""A tag, with spaces and attributes like those of HTML. Group 1 is the slash of a closing tag."""


def without_thinking(text: str) -> str | None:
    """Return `text` without its think blocks; None if the last block is not closed.

    A ``</think>`` without a ``<think>`` closes a block that the prompt opened, so all text before
    the last such tag is thinking.
    """
    kept: list[str] = []
    inside, start = False, 0
    for tag in _THINK_TAG.finditer(text):
        is_closing = bool(tag[1])
        if is_closing:
            if not inside:
                kept.clear()
            inside, start = False, tag.end()
        elif not inside:
            kept.append(text[start : tag.start()])
            inside = True
    return None if inside else "".join(kept) + text[start:]


def extract_answer(text: str) -> str | None:
    """Return the stripped content of the only ``<answer>`` outside the thinking.

    Returns:
        The answer, which may be empty; None if the format is broken: no answer, more than one,
        nested or unbalanced tags, or thinking that is not closed.
    """
    outside = without_thinking(text)
    if outside is None:
        return None
    tags = list(_ANSWER_TAG.finditer(outside))
    if [tag[1] for tag in tags] != [None, "/"]:
        return None
    return outside[tags[0].end() : tags[1].start()].strip()


def format_violation(text: str) -> str | None:
    """Return in a few words why `extract_answer` returns None; None if it returns an answer."""
    outside = without_thinking(text)
    if outside is None:
        return "thinking never closed"
    # o: an opening tag, c: a closing tag
    tags = "".join("c" if tag[1] else "o" for tag in _ANSWER_TAG.finditer(outside))
    if tags == "oc":
        return None
    if not tags:
        return "answer only inside thinking" if _ANSWER_TAG.search(text) else "no answer tags"
    if tags.replace("oc", "") == "":
        return f"{len(tags) // 2} answers"
    return "nested or unbalanced answer tags"


def opened_thinking(prompt: str) -> str:
    """``<think>`` where a prompt ends inside a think block, which the model only closes."""
    return "<think>" if prompt.rstrip().endswith("<think>") else ""
