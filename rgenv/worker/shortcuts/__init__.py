"""Rules of a few lines that answer a question without solving its problem.

    generic.py    rules for any question: parts of its text, arithmetic with its numbers
    numeric.py    algebra, arithmetic, geometry and probability
    words.py      letters, words and strings
    rewriting.py  strings and things that rules rewrite
    grids.py      matrices, boards and pictures
    islands.py    islands in a grid
    fillings.py   puzzles with blanks, filled without a second thought
    moves.py      sequences of moves, paths, assignments and formulas
    choices.py    few possible answers, induction and programs
    deduction.py  conclusions from premises, relations in a family
    text.py       what the rules read in a question

Copying the string is right in most problems of string_insertion, so a policy that is paid for it
learns to copy. `solving` finds such problems, and `rgenv.worker.selection` draws others instead::

    answers("lcm", {"question": "Find the Least Common Multiple (LCM) of these numbers: 9, 4"})
    # {"the product": "36", "the largest number": "9", ...}

A rule reads the question alone. It is a shortcut only if it leaves out what makes the problem hard:
to add the numbers of a sum is no shortcut. The name of a rule that picks one of a few possible
answers begins with `GUESS`: it is measured like the others, but `solving` passes over it. If two
answers are possible, problems on which such a rule fails have the other answer.

Not here: the share of problems that each rule solves (benchmarks/shortcuts.py), and labels that
follow from the length of a question.
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
    generic,
    grids,
    islands,
    moves,
    numeric,
    rewriting,
    words,
)

GUESS = "guess: "
"""How the name of a rule begins that is right by luck, because few answers are possible."""

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
"""Task -> its rules: a function from the question to answers by the name of the rule."""

SEVERAL_ANSWERS = frozenset(
    """
    advanced_geometry boxnet codeio coin_flip complex_arithmetic countdown cryptarithm graph_color
    jugs kakurasu n_queens palindrome_generation polynomial_equations
    power_function propositional_logic puzzle24 quantum_lock rubiks_cube rush_hour shortest_path
    sokoban survo tower_of_hanoi tsumego word_ladder
    """.split()
)
"""Tasks with other right answers than the reference answer, so that the verifier has to judge."""

KEPT: Mapping[tuple[str, str], float] = MappingProxyType(
    {
        ("acre", "an object did it alone"): 0.3,
        ("acre", "as the first result that names an object"): 0.5,
        ("acre", "as the last result that names an object"): 0.6,
        ("acre", "as the same objects"): 0.4,
        ("chain_sum", "add all"): 0.4,
        ("chain_sum", "subtract all"): 0.4,
        ("color_cube_rotation", "the turns in reverse"): 0.4,
        ("countdown", "add and subtract all"): 0.12,
        ("decimal_chain_sum", "add all"): 0.4,
        ("decimal_chain_sum", "subtract all"): 0.4,
        ("largest_island", "the first island"): 0.4,
        ("largest_island", "the first island from the left"): 0.4,
        ("largest_island", "the first island from the right"): 0.4,
        ("largest_island", "the last island"): 0.4,
        ("largest_island", "the island in the middle"): 0.4,
        ("largest_island", "the island with the longest run"): 0.4,
        ("largest_island", "the island with the second longest run"): 0.4,
        ("largest_island", "the island with the longest run down"): 0.4,
        ("largest_island", "the island of most rows"): 0.4,
        ("largest_island", "the island of most columns"): 0.4,
        ("largest_island", "the island with a cell beside most others"): 0.4,
        ("largest_island", "the island where most land is near"): 0.25,
        ("largest_island", "the island in the largest box"): 0.2,
        ("largest_island", "the island with the longest three runs"): 0.3,
        ("maze", "distance without walls"): 0.05,
        ("maze", "distance without walls and a detour"): 0.12,
        ("maze", "distance without walls and two detours"): 0.4,
        ("string_splitting", "take each apart, then join parts"): 0.3,
        ("modulo_grid", "from a column that agrees"): 0.15,
        ("modulo_grid", "from a row or a column that agrees"): 0.15,
        ("modulo_grid", "from a row that agrees"): 0.15,
        ("number_sequence", "a multiple of the last term, and the one before"): 0.3,
        ("number_sequence", "half of the last term and the one before"): 0.3,
        ("number_sequence", "the last but one ratio, less its difference"): 0.12,
        ("number_sequence", "the last ratio of differences"): 0.3,
        ("number_sequence", "the last ratio of differences, cut off"): 0.3,
        ("number_sequence", "the last two differences added"): 0.06,
        ("number_sequence", "the last term and twice the last difference"): 0.15,
        ("number_sequence", "the last term and twice the one before"): 0.1,
        ("number_sequence", "the ratio of the two differences before"): 0.2,
        ("number_sequence", "twice the last term and the one before"): 0.2,
        ("number_sequence", "twice the last two terms added"): 0.2,
        ("propositional_logic", "the rarest variable, as it is meant most often"): 0.2,
        ("propositional_logic", "the rarest variable, as it is written most often"): 0.2,
        (
            "propositional_logic",
            "the rarest variable that is not given, as it is meant most often",
        ): 0.2,
        (
            "propositional_logic",
            "the rarest variable that is not given, as it is written most often",
        ): 0.2,
        (
            "propositional_logic",
            "the second rarest variable that is not given, as it is meant most often",
        ): 0.2,
        (
            "propositional_logic",
            "the second rarest variable that is not given, as it is written most often",
        ): 0.2,
        (
            "propositional_logic",
            "the most frequent variable that is not given, as it is meant most often",
        ): 0.2,
        (
            "propositional_logic",
            "the most frequent variable that is not given, as it is written most often",
        ): 0.2,
        ("propositional_logic", "the rarest variable, affirmed"): 0.3,
        ("propositional_logic", "the rarest variable, denied"): 0.3,
        ("propositional_logic", "the rarest variable that is not given, affirmed"): 0.3,
        ("propositional_logic", "the rarest variable that is not given, denied"): 0.3,
        ("propositional_logic", "the second rarest variable that is not given, affirmed"): 0.3,
        ("propositional_logic", "the second rarest variable that is not given, denied"): 0.3,
        ("propositional_logic", "the most frequent variable that is not given, affirmed"): 0.3,
        ("propositional_logic", "the most frequent variable that is not given, denied"): 0.3,
        ("propositional_logic", "the two rarest variables, affirmed"): 0.5,
        ("propositional_logic", "the two rarest variables, as they are meant most often"): 0.4,
        ("simple_equations", "divide, off by 0"): 0.03,
        ("simple_equations", "divide, off by 1"): 0.06,
        ("simple_equations", "divide, off by 2"): 0.18,
        ("simple_equations", "divide, off by 3"): 0.4,
        ("zebra_puzzles", "not said elsewhere, directly left of one, used most"): 0.45,
        ("zebra_puzzles", "the name that is used least"): 0.5,
    }
)
"""Task and rule -> the share of the problems solved by the rule that `solving` passes over.

If no maze had its shortest way without walls, each would have a detour: another rule were right."""


_UNREADABLE = (
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
    except _UNREADABLE:
        return {}


def generic_answers(task: str, entry: Entry) -> dict[str, str]:
    """Return the answer of each rule for any question, by the rule's name.

    Rules that do what the task asks for are left out.
    """
    question = str(entry["question"])
    if len(question) > MAX_QUESTION:
        return {}
    found = generic.answers(question)
    return {rule: text for rule, text in found.items() if (task, rule) not in generic.SOLUTIONS}


def is_guess(rule: str) -> bool:
    """Return whether a rule picks one of a few possible answers."""
    return rule.startswith(GUESS)


def solving(task: str, entry: Entry, score: Callable[[str], float]) -> str | None:
    """Return the name of the first rule that solves a problem, or None.

    Args:
        task: the name of the task.
        entry: the problem. Its answer is compared with those of the rules.
        score: the verifier for `entry`; called only where other answers may be right, too.
    """
    judge = score if task in SEVERAL_ANSWERS or entry["answer"] is None else None
    for name, answer in answers(task, entry).items():
        if is_guess(name) or _kept(task, name, entry):
            continue
        if is_right(answer, entry, judge):
            return name
    return None


def _kept(task: str, name: str, entry: Entry) -> bool:
    share = KEPT.get((task, name), 0.0)
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
