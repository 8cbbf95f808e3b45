"""The answer format, as functions of text.

The system prompt (rgenv/prompts.py) asks the model to think inside ``<think>`` and to write one
answer inside ``<answer>``. Only text outside the thinking counts::

    >>> extract_answer("<think>2 or <answer>3</answer>?</think> So <answer> 4 </answer>")
    '4'
    >>> extract_answer("<answer>4</answer> or <answer>5</answer>") is None
    True
"""

from __future__ import annotations

import re
from typing import Literal

_THINK_TAG = re.compile(r"<(/?)think>", re.IGNORECASE)
_OPENING = re.compile(r"<think>\s*\Z")
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
    spans, closed = _outside(text)
    return "".join(text[start:end] for start, end in spans) if closed else None


def extract_answer(text: str) -> str | None:
    """Return the stripped content of the only ``<answer>`` outside the thinking; it may be empty.

    None: the format is broken. There is no answer or more than one, tags are nested or unbalanced,
    or the thinking is not closed.
    """
    return answer_or_violation(text)[0]


def format_violation(text: str) -> str | None:
    """Return in a few words why `extract_answer` returns None; None if it returns an answer."""
    return answer_or_violation(text)[1]


def answer_or_violation(text: str) -> tuple[str | None, str | None]:
    """Return what `extract_answer` and `format_violation` return; one of both is None."""
    outside = without_thinking(text)
    if outside is None:
        return None, "thinking never closed"
    tags = list(_ANSWER_TAG.finditer(outside))
    # o: an opening tag, c: a closing tag
    order = "".join("c" if tag[1] else "o" for tag in tags)
    if order == "oc":
        return outside[tags[0].end() : tags[1].start()].strip(), None
    if not tags:
        is_inside = _ANSWER_TAG.search(text)
        return None, "answer only inside thinking" if is_inside else "no answer tags"
    if order.replace("oc", "") == "":
        return None, f"{len(tags) // 2} answers"
    return None, "nested or unbalanced answer tags"


def opened_thinking(prompt: str) -> str:
    """Return ``<think>`` and the space behind it where a prompt ends so; else an empty text."""
    opening = _OPENING.search(prompt)
    return opening[0] if opening is not None else ""


Part = Literal["thinking", "answer", "text"]
"""What a part of a completion is; an answer is the content of the only pair of tags."""


def parts(text: str) -> list[tuple[Part, str]]:
    """Split a completion into thinking, answer and other text, tags included in what they enclose.

    The parts together are `text`. Only what `extract_answer` returns is an answer, with the space
    around it; where the format is broken, there is none.
    """
    spans, closed = _outside(text)
    outside = "".join(text[start:end] for start, end in spans)
    tags = list(_ANSWER_TAG.finditer(outside))
    whole = closed and [tag[1] for tag in tags] == [None, "/"]
    first, last = (tags[0].end(), tags[1].start()) if whole else (0, 0)
    found: list[tuple[Part, str]] = []
    done = read = 0  # in `text`, and in `outside`
    for start, end in spans:
        found.append(("thinking", text[done:start]))
        low, high = (min(max(at - read + start, start), end) for at in (first, last))
        found += [("text", text[start:low]), ("answer", text[low:high]), ("text", text[high:end])]
        done, read = end, read + end - start
    found.append(("thinking", text[done:]))
    return [part for part in found if part[1]]


def _outside(text: str) -> tuple[list[tuple[int, int]], bool]:
    """Return where text outside the thinking begins and ends, and whether thinking is closed."""
    spans: list[tuple[int, int]] = []
    inside, start = False, 0
    for tag in _THINK_TAG.finditer(text):
        is_closing = bool(tag[1])
        if is_closing:
            if not inside:
                spans.clear()
            inside, start = False, tag.end()
        elif not inside:
            spans.append((start, tag.start()))
            inside = True
    return (spans, False) if inside else ([*spans, (start, len(text))], True)
