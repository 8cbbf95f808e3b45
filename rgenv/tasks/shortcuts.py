"""Find problems that a rule of a few lines answers without solving them.

The product is right in most problems of lcm, so a policy that is paid for it learns to multiply.
`solving` finds such problems, and rgenv/worker/selection.py draws others instead; a correction
that makes a problem of its own makes none. A rule reads the question alone. It is a shortcut only
if it leaves out what makes the problem hard: adding the numbers of a sum is not one.
"""

import zlib
from collections.abc import Callable

from rgenv.tasks.entry import Entry
from rgenv.tasks.questions import UNREADABLE
from rgenv.tasks.record import SOLVED, Answers
from rgenv.tasks.registry import record_of

MAX_QUESTION = 50_000
"""No rule reads a longer question."""


def answers(task: str, entry: Entry) -> Answers:
    """Return the answer of each rule for a task by the rule's name; empty at worst."""
    question, rules = str(entry["question"]), record_of(task).shortcuts
    if rules is None or len(question) > MAX_QUESTION:
        return {}
    try:
        return rules(question)
    except UNREADABLE:
        return {}


def solving(task: str, entry: Entry, score: Callable[[str], float] | None = None) -> str | None:
    """Return the name of the first rule that solves a problem, or None.

    Args:
        score: the verifier for `entry`. None: nothing but the reference answer is right.
    """
    kept = record_of(task).kept
    for name, answer in answers(task, entry).items():
        share = kept.get(name)
        if share and zlib.crc32(f"{name}\n{entry['question']}".encode()) / 2**32 < share:
            continue  # it is asked although the rule solves it
        if is_right(answer, entry, score):
            return name
    return None


def is_right(answer: str, entry: Entry, score: Callable[[str], float] | None) -> bool:
    """Return whether an answer equals the reference answer, or is right by the verifier."""
    if entry["answer"] is not None and _plain(answer) == _plain(str(entry["answer"])):
        return True
    if score is None:
        return False
    try:
        return score(answer) >= SOLVED
    except Exception:  # verifiers of the library raise exceptions of any type
        return False


def _plain(answer: str) -> str:
    return "".join(answer.split()).casefold()
