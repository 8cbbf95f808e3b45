"""Prompt and answer format: pure text in, pure text out.

The model is asked to think inside ``<think>`` and to answer once inside ``<answer>``.
What counts is the text outside the thinking::

    >>> extract_answer("<think>2 or <answer>3</answer>?</think> So <answer> 4 </answer>")
    '4'
    >>> extract_answer("<answer>4</answer> or <answer>5</answer>") is None
    True

Whether the answer is right is not decided here.
"""

from __future__ import annotations

import re

from rgenv.types import Message

SYSTEM_PROMPT = (
    "You solve reasoning problems. First think the problem through, step by step and for as long "
    "as it takes, inside <think> and </think> tags. When you are done thinking, state the "
    "solution: write exactly one final answer inside <answer> and </answer> tags, in the format "
    "that the problem asks for and with nothing else inside the tags. Text around the answer tags "
    "is allowed; a second pair of answer tags, or none, makes the solution invalid."
)

_THINK_TAG = re.compile(r"<(/?)think>", re.IGNORECASE)
_ANSWER_TAG = re.compile(r"<(/?)answer>", re.IGNORECASE)


def build_messages(question: str) -> list[Message]:
    """The conversation that asks `question`: one system and one user message."""
    return [
        {"role": "system", "content": SYSTEM_PROMPT},
        {"role": "user", "content": question},
    ]


def outside_think(text: str) -> str | None:
    """What is left of `text` without its thinking; None when a think block never closes.

    A ``</think>`` without its opening tag ends a block that the chat template opened in the
    prompt, so everything before the last such tag is thinking.
    """
    kept: list[str] = []
    depth, start = 0, 0
    for tag in _THINK_TAG.finditer(text):
        if tag[1]:
            if depth == 0:
                kept.clear()
            depth, start = 0, tag.end()
        elif depth == 0:
            kept.append(text[start : tag.start()])
            depth = 1
    return None if depth else "".join(kept) + text[start:]


def extract_answer(text: str) -> str | None:
    """The stripped content of the one ``<answer>`` outside the thinking.

    None when the format is broken: no answer, more than one, nested or unbalanced tags, or
    thinking that never ends. An empty string is an answer (and never a right one).
    """
    outside = outside_think(text)
    if outside is None:
        return None
    tags = list(_ANSWER_TAG.finditer(outside))
    if [tag[1] for tag in tags] != ["", "/"]:
        return None
    return outside[tags[0].end() : tags[1].start()].strip()


def format_violation(text: str) -> str | None:
    """Why `extract_answer` gives None, in a few words for the log; None when it does not."""
    outside = outside_think(text)
    if outside is None:
        return "thinking never closed"
    shape = "".join("c" if tag[1] else "o" for tag in _ANSWER_TAG.finditer(outside))
    if shape == "oc":
        return None
    if not shape:
        return "answer only inside thinking" if _ANSWER_TAG.search(text) else "no answer tags"
    if shape.replace("oc", "") == "":
        return f"{len(shape) // 2} answers"
    return "nested or unbalanced answer tags"
