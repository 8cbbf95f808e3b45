"""Rules of a few lines that answer a question without solving its problem.

    numeric.py    algebra, arithmetic and probability
    words.py      letters, words and strings
    rewriting.py  strings and things that rules rewrite
    grids.py      matrices, boards and pictures
    islands.py    islands in a grid
    fillings.py   puzzles with blanks, filled without a second thought
    moves.py      sequences of moves, paths, assignments and formulas
    choices.py    few possible answers, and induction
    deduction.py  conclusions from premises
    text.py       what the rules read in a question

The distance without walls is right in most problems of maze, so a policy that is paid for it learns
to measure that. `solving` finds such problems, and `rgenv.worker.selection` draws others instead::

    answers("lcm", {"question": "Find the Least Common Multiple (LCM) of these numbers: 9, 4"})
    # {"the product": "36", "the largest number": "9", ...}

A rule reads the question alone. It is a shortcut only if it leaves out what makes the problem hard:
to add the numbers of a sum is no shortcut. No rule picks one of a few possible answers: if there
are two, problems on which it fails have the other one.

The number behind a rule is the largest share of the library's problems, undrawn, that it solves at
any level: 100 to 500 problems of each, measured by `benchmarks/shortcuts.py --undrawn`. A rule
below 5 % is here only if it solves 3 % that no other rule solves.

Not here: rules that pick one of a few answers (tools/guesses), and labels that follow from the
length of a question.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from types import MappingProxyType

from rgenv.tasks.entry import Entry
from rgenv.worker.coverage import covered
from rgenv.worker.shortcuts import (
    choices,
    deduction,
    fillings,
    grids,
    islands,
    moves,
    numeric,
    rewriting,
    words,
)

SOLVED = 0.99
"""The least score of a right answer."""

MAX_QUESTION = 50_000
"""No rule reads a longer question."""

RULES: Mapping[str, Callable[[str], dict[str, str]]] = MappingProxyType(
    {
        **numeric.RULES,
        **words.RULES,
        **rewriting.RULES,
        **grids.RULES,
        **islands.RULES,
        **fillings.RULES,
        **moves.RULES,
        **choices.RULES,
        **deduction.RULES,
    }
)
"""Task -> its rules: a function from the question to answers by the name of the rule. Tasks without
a rule that solves enough are left out."""

SEVERAL_ANSWERS = frozenset(
    """
    advanced_geometry boxnet codeio coin_flip complex_arithmetic countdown cryptarithm graph_color
    jugs kakurasu n_queens palindrome_generation polynomial_equations
    power_function propositional_logic puzzle24 quantum_lock rubiks_cube rush_hour shortest_path
    sokoban survo tower_of_hanoi tsumego word_ladder
    """.split()
)
"""Tasks with other right answers than the reference answer, so that the verifier has to judge."""

KEPT: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        "acre": {
            "an object did it alone": 0.3,
            "as the first result that names an object": 0.5,
            "as the last result that names an object": 0.6,
            "as the same objects": 0.4,
        },
        "chain_sum": {"add all": 0.4, "subtract all": 0.4},
        "color_cube_rotation": {"the turns in reverse": 0.4},
        "countdown": {"add and subtract all": 0.12},
        "decimal_chain_sum": {"add all": 0.4, "subtract all": 0.4},
        "largest_island": {
            "the first island": 0.4,
            "the first island from the left": 0.4,
            "the first island from the right": 0.4,
            "the last island": 0.4,
            "the island in the middle": 0.4,
            "the island with the longest run": 0.4,
            "the island with the second longest run": 0.4,
            "the island with the longest run down": 0.4,
            "the island of most rows": 0.4,
            "the island of most columns": 0.4,
            "the island with a cell beside most others": 0.4,
            "the island where most land is near": 0.25,
            "the island in the largest box": 0.2,
            "the island with the longest three runs": 0.3,
        },
        "maze": {
            "distance without walls": 0.05,
            "distance without walls and a detour": 0.12,
            "distance without walls and two detours": 0.4,
        },
        "modulo_grid": {
            "from a column that agrees": 0.15,
            "from a row or a column that agrees": 0.15,
            "from a row that agrees": 0.15,
        },
        "number_sequence": {
            "a multiple of the last term, and the one before": 0.3,
            "the last but one ratio, less its difference": 0.12,
            "the last ratio of differences": 0.3,
            "the last ratio of differences, cut off": 0.3,
            "the last two differences added": 0.06,
            "the last term and twice the last difference": 0.15,
            "the last term and twice the one before": 0.1,
            "the ratio of the two differences before": 0.2,
        },
        "propositional_logic": {
            **{
                f"{name}, {sign}": share
                for name in (
                    "the rarest variable",
                    "the rarest variable that is not given",
                    "the second rarest variable that is not given",
                    "the most frequent variable that is not given",
                )
                for sign, share in (
                    ("as it is meant most often", 0.2),
                    ("as it is written most often", 0.2),
                    ("affirmed", 0.3),
                    ("denied", 0.3),
                )
            },
            "the two rarest variables, affirmed": 0.5,
            "the two rarest variables, as they are meant most often": 0.4,
        },
        "simple_equations": {
            "divide, off by 0": 0.03,
            "divide, off by 1": 0.06,
            "divide, off by 2": 0.18,
            "divide, off by 3": 0.4,
        },
        "string_splitting": {"take each apart, then join parts": 0.3},
        "zebra_puzzles": {
            "not said elsewhere, directly left of one, used most": 0.45,
            "the name that is used least": 0.5,
        },
    }
)
"""Task -> rule -> the share of the problems solved by the rule that `solving` passes over.

If no maze had its shortest way without walls, each would have a detour: another rule were right."""


UNREADABLE = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    StopIteration,
    TypeError,
    ValueError,
)
"""What a rule raises that looks for something that a question lacks."""


def answers(task: str, entry: Entry) -> dict[str, str]:
    """Return the answer of each rule for a task, by the rule's name.

    Rules that can't read the question give no answer, so the result is empty at worst. A task that
    is not covered has no rules.
    """
    question = str(entry["question"])
    if len(question) > MAX_QUESTION or task not in RULES or not covered(task):
        return {}
    try:
        return RULES[task](question)
    except UNREADABLE:
        return {}


def solving(task: str, entry: Entry, score: Callable[[str], float]) -> str | None:
    """Return the name of the first rule that solves a problem, or None.

    Args:
        task: the name of the task.
        entry: the problem. Its answer is compared with those of the rules.
        score: the verifier for `entry`; called only where other answers may be right, too.
    """
    judge = score if task in SEVERAL_ANSWERS or entry["answer"] is None else None
    for name, answer in answers(task, entry).items():
        if _kept(task, name, entry):
            continue
        if is_right(answer, entry, judge):
            return name
    return None


def _kept(task: str, name: str, entry: Entry) -> bool:
    share = KEPT.get(task, {}).get(name, 0.0)
    coin = zlib.crc32(f"{name}\n{entry['question']}".encode()) / 2**32 if share else 1.0
    return coin < share


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
    """Return an answer without spaces and in lower case."""
    return "".join(answer.split()).casefold()
