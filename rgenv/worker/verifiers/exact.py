"""Answers that are right or wrong, with nothing in between.

``1120`` is no better an answer than any other where 120 is right, though the library pays it 0.75
for holding the right one, and 0.01 to 0.1 for any text of the right form.

Not covered: other ways to write a right answer, unless the library knows them.
"""

from __future__ import annotations

import json
from typing import Any

from rgenv.worker.verifiers.shared import Entry, Library, asked, same_text

SAME_TEXT = [
    "acre",
    "aiw",
    "arc_1d",
    "base_conversion",
    "basic_arithmetic",
    "bf",
    "binary_alternation",
    "caesar_cipher",
    "circuit_logic",
    "count_bits",
    "count_primes",
    "course_schedule",
    "gcd",
    "isomorphic_strings",
    "largest_island",
    "lcm",
    "leg_counting",
    "letter_counting",
    "list_functions",
    "mahjong_puzzle",
    "maze",
    "modulo_grid",
    "number_filtering",
    "number_sequence",
    "ransom_note",
    "rotate_matrix",
    "rotten_oranges",
    "simple_equations",
    "simple_geometry",
    "string_manipulation",
    "string_splitting",
    "string_synthesis",
    "syllogism",
    "word_sequence_reversal",
]
"""The library has one right answer and pays 0.5 on average for a text that holds it."""

RIGHT_FOR_THE_LIBRARY = [
    "arc_agi",
    "chain_sum",
    "color_cube_rotation",
    "cryptarithm",
    "graph_color",
    "group_anagrams",
    "jugs",
    "manipulate_matrix",
    "palindrome_generation",
    "power_function",
    "products",
    "rectangle_count",
    "rubiks_cube",
    "rearc",
    "tsumego",
]
"""The library knows several right answers, and pays something for ones that are not."""

MAX_ASKED = 20_000
"""Characters. Right answers have 3,000 at most; some of these verifiers take their time."""


def same(answer: str, entry: Entry, library: Library) -> float:
    """1.0 for the entry's own answer."""
    return float(same_text(answer, entry))


def right_for_the_library(answer: str, entry: Entry, library: Library) -> float:
    """1.0 where the library gives 1.0."""
    return float(len(answer) <= MAX_ASKED and asked(library, answer) >= 1.0)


def advanced_geometry(answer: str, entry: Entry, library: Library) -> float:
    """As the library, without the 0.05 that it pays for any number."""
    return _over_floor(answer, library, 0.05)


def knight_swap(answer: str, entry: Entry, library: Library) -> float:
    """As the library, without the 0.05 that it pays for ``[]``."""
    return _over_floor(answer, library, 0.05)


def _over_floor(answer: str, library: Library, floor: float) -> float:
    score = asked(library, answer)
    return score if score > floor else 0.0


def game_of_life_halting(answer: str, entry: Entry, library: Library) -> float:
    """The truth value that is asked for; the library paid 1.0 for any text but an empty one."""
    return float(answer.strip().casefold() == str(entry["answer"]).casefold())


def codeio(answer: str, entry: Entry, library: Library) -> float:
    """An equal JSON value; the library paid 0.5 and more for the right keys, which it had told."""
    if same_text(answer, entry):
        return 1.0
    expected = _object(str(entry["answer"]))
    return float(expected is not None and _object(answer) == expected)


def _object(text: str) -> dict[str, Any] | None:
    """The JSON object that `text` is."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
