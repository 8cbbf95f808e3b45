"""Rewrite a string by rules until none applies."""

import re
from collections.abc import Callable, Sequence

from rgenv.tasks import Answers, Entry, Task, moving, part_of
from rgenv.tasks.answers.texts import Text
from rgenv.tasks.symmetries import letter_pattern


def correct(entry: Entry) -> Entry | None:
    """Return the entry; None if a rule replaces all of a string and deletes its last character.

    The library makes "aa" of "cb" by that rule, and does not delete the second "a".
    """
    meta = entry["metadata"]
    deletes = any("delete the last character" in rule for rule in meta["selected_rules"])
    return None if deletes and "cb" in meta["states"] else entry


Rule = tuple[str, str | Callable[[re.Match[str]], str]]
"""What a rule looks for, and what it puts there."""
_REWRITES: dict[str, Rule] = {
    "prefix is 'ab'": (r"^ab(.*)", r"ca\1"),
    "suffix is 'ac'": (r"ac$", "cb"),
    "prefix is 'bc'": (r"^bc(.*)", r"\1aa"),
    "suffix is 'bb'": (r"bb$", ""),
    "prefix is 'cb'": (r"^cb(.*).", r"aa\1"),
    "prefix is 'ca'": (r"^ca(.*)", r"bb\1c"),
    "suffix is 'cc'": (r"^(.*)cc$", r"a\1b"),
    "prefix is 'aa'": (r"^aa", "a"),
    "contains 'abc'": (r"abc", "cab"),
    "contains 'bca'": (r"bca", ""),
    "ends with 'ba'": (r"ba$", "ab"),
    "starts with 'cc'": (r"^cc", ""),
    "contains 'acb'": (r"acb", "bca"),
    "ends with 'ca'": (r"ca$", "c"),
    "starts with 'bb'": (r"^bb", "b"),
    "ends with 'aa'": (r"aa$", "cc"),
    "contains 'ca' (not": (r"(?<=.)ca", ""),
    "contains an even": (r"^((?:[^b]*b[^b]*b)+[^b]*)$", r"\1ab"),
    "starts with 'ac'": (r"^ac", "zz"),
    "length is greater than 15": (
        r"^.{16,}$",
        lambda found: found[0][: len(found[0]) // 2] + found[0][len(found[0]) // 2 + 1 :],
    ),
}
"""How a rule of a question begins -> what it does."""
MAX_LETTERS, MAX_REWRITES = 3000, 100
"""Longer strings are left alone, and no string is rewritten more often."""


def _rewritten(text: str, rules: Sequence[Rule]) -> str:
    """Return a string after the first of the rules that fits."""
    for pattern, instead in rules:
        if re.search(pattern, text):
            return re.sub(pattern, instead, text, count=1)
    return text


def _looped(text: str, rules: Sequence[Rule]) -> str:
    """Return a string after the rules were used until none fits or a string is repeated."""
    seen = [text]
    while len(seen) < MAX_REWRITES and (text := _rewritten(text, rules)) not in seen:
        seen.append(text)
    return seen[-1]


def shortcuts(question: str) -> Answers:
    text = question.strip().rsplit("\n", 1)[-1]
    rules = [
        rule
        for line in re.findall(r"^\d+\. If the string (.+)$", question, re.MULTILINE)
        if len(text) < MAX_LETTERS
        for start, rule in _REWRITES.items()
        if line.startswith(start)
    ]
    parts = {
        "only the first four rules": rules[:4],  # .65
        "only half of the rules": rules[: (len(rules) + 1) // 2],  # .58
    }
    answers = {name: _looped(text, part) for name, part in parts.items() if len(part) < len(rules)}
    answers["the first rule that fits, twice"] = _rewritten(_rewritten(text, rules), rules)  # .81
    for rule in rules[:20]:
        text = _rewritten(text, [rule])
    return answers | {"each rule in turn": text}  # .73


def family(entry: Entry) -> object:
    """Keep the pattern of the string; ignore letters, reading backwards, the rules."""
    return letter_pattern(part_of(r"^(\w+)\s*\Z", entry))


TASK = Task(
    answer=Text(),
    correct=correct,
    clarify=(
        (
            "remove the middle character",
            "Of the two characters in the middle of a string of even length, the right one is "
            "removed.",
        ),
    ),
    shortcuts=shortcuts,
    family=family,
    # 500 letters are long rather than deep: rules work on the ends of a string. Their number
    # grows with the string.
    levels=moving(
        string_length=[(7, 9), (9, 13), (13, 17), (17, 22), (22, 30)],
        num_rules=[(6, 7), (8, 9), (10, 12), (13, 16), (17, 20)],
    ),
)
