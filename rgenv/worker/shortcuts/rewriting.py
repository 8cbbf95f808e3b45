"""Rules for tasks in which rules rewrite a string, machines or blocks.

Not a shortcut: to apply all rules to the end. Blocks are changed in a single step.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType

from rgenv.worker.shortcuts.text import ints

Answers = dict[str, str]
Replacement = str | Callable[[re.Match[str]], str]
Rule = tuple[str, Replacement]
"""What a rule looks for, and what it puts there."""

MAX_LETTERS, MAX_REWRITES = 3000, 100
"""Longer strings are left alone, and no string is rewritten more often."""


def _without_middle(match: re.Match[str]) -> str:
    return match[0][: len(match[0]) // 2] + match[0][len(match[0]) // 2 + 1 :]


_REWRITES: tuple[tuple[str, str, Replacement], ...] = (
    ("prefix is 'ab'", r"^ab(.*)", r"ca\1"),
    ("suffix is 'ac'", r"ac$", "cb"),
    ("prefix is 'bc'", r"^bc(.*)", r"\1aa"),
    ("suffix is 'bb'", r"bb$", ""),
    ("prefix is 'cb'", r"^cb(.*).", r"aa\1"),
    ("prefix is 'ca'", r"^ca(.*)", r"bb\1c"),
    ("suffix is 'cc'", r"^(.*)cc$", r"a\1b"),
    ("prefix is 'aa'", r"^aa", "a"),
    ("contains 'abc'", r"abc", "cab"),
    ("contains 'bca'", r"bca", ""),
    ("ends with 'ba'", r"ba$", "ab"),
    ("starts with 'cc'", r"^cc", ""),
    ("contains 'acb'", r"acb", "bca"),
    ("ends with 'ca'", r"ca$", "c"),
    ("starts with 'bb'", r"^bb", "b"),
    ("ends with 'aa'", r"aa$", "cc"),
    ("contains 'ca' (not", r"(?<=.)ca", ""),
    ("contains an even", r"^((?:[^b]*b[^b]*b)+[^b]*)$", r"\1ab"),
    ("starts with 'ac'", r"^ac", "zz"),
    ("length is greater than 15", r"^.{16,}$", _without_middle),
)
"""How a rule of string_manipulation begins, what it looks for, and what it puts there."""


def _rewritten(text: str, rules: Iterable[Rule]) -> str:
    """Return a string after the first of the rules that fits."""
    for pattern, instead in rules:
        if re.search(pattern, text):
            return re.sub(pattern, instead, text, count=1)
    return text


def _looped(text: str, rules: Sequence[Rule]) -> str:
    """Return a string after the rules were used until none fits or a string is repeated."""
    seen = [text]
    while len(seen) < MAX_REWRITES:
        text = _rewritten(text, rules)
        if text in seen:
            break
        seen.append(text)
    return seen[-1]


def string_manipulation(question: str) -> Answers:
    """Apply rules twice or each in turn, or a part of them in full."""
    text = question.strip().rsplit("\n", 1)[-1]
    rules = [
        (pattern, instead)
        for line in re.findall(r"^\d+\. If the string (.+)$", question, re.MULTILINE)
        if len(text) < MAX_LETTERS
        for start, pattern, instead in _REWRITES
        if line.startswith(start)
    ]
    in_turn = text
    for rule in rules[:20]:
        in_turn = _rewritten(in_turn, [rule])
    parts = {
        "the first three rules": rules[:3],  # .52
        "the first four rules": rules[:4],  # .65
        "the last three rules": rules[-3:],  # .49
        "half of the rules": rules[: (len(rules) + 1) // 2],  # .58
    }
    return {
        **{
            f"only {name}": _looped(text, part)
            for name, part in parts.items()
            if len(part) < len(rules)
        },
        "the first rule that fits, twice": _rewritten(_rewritten(text, rules), rules),  # .81
        "each rule in turn": in_turn,  # .73
    }


def string_splitting(question: str) -> Answers:
    """Take each machine apart once, then join parts."""
    a, b, c = ints(question.split("Now, you have ", 1)[1])[:3]
    x, y = 2 * a + b // 2, a + c // 2
    joined = min(x, y)
    left = f"0 {b % 2} {c % 2} {x - joined} {y - joined} {joined}"
    return {"take each apart, then join parts": left}  # .78


def string_synthesis(question: str) -> Answers:
    """Apply one rule."""
    a, b, c = ints(question.split("Now, you have ", 1)[1])[:3]
    most = min(a, b, c)
    pairs = min(a, b)
    return {
        "only the first rule": f"{a - most} {b - most} {c - most} {most} 0 0 0 0 0",  # .25
        "only the second rule": f"{a - pairs} {b - pairs} {c} 0 0 {pairs} 0 0 0",  # .18
        "only the third rule": (  # .10
            f"{a} {b - min(b, c)} {c - min(b, c)} 0 {min(b, c)} 0 0 0 0"
        ),
        "only the fourth rule": f"{a} {b} {c % 2} 0 0 {c // 2} 0 0 0",  # .18
    }


RULES: Mapping[str, Callable[[str], Answers]] = MappingProxyType(
    {
        "string_manipulation": string_manipulation,
        "string_splitting": string_splitting,
        "string_synthesis": string_synthesis,
    }
)
