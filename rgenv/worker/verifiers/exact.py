"""Verifiers for tasks whose answers are right or wrong, without partial credit.

The library scores ``1120`` 0.75 where 120 is right, because the text contains the right answer, and
scores any text of the right form 0.01 to 0.1. Here both score 0.0.

Not here: spellings of a right answer that the library rejects too.
"""

from __future__ import annotations

from rgenv.worker.verifiers.shared import (
    Entry,
    LibraryVerifier,
    is_reference_answer,
    library_score,
    library_score_above,
    parse_json,
)

EXACT_TEXT = """
    acre aiw arc_1d base_conversion basic_arithmetic bf binary_alternation caesar_cipher
    circuit_logic count_bits count_primes course_schedule gcd isomorphic_strings largest_island lcm
    leg_counting letter_counting list_functions mahjong_puzzle maze modulo_grid number_filtering
    number_sequence ransom_note rotate_matrix rotten_oranges simple_equations simple_geometry
    string_manipulation string_splitting string_synthesis syllogism word_sequence_reversal
""".split()  # a table of words is easier to read
"""Tasks with one right answer. The library gives a text that contains it 0.5 on average."""

ALL_OR_NOTHING = """
    arc_agi chain_sum color_cube_rotation cryptarithm graph_color group_anagrams jugs
    manipulate_matrix palindrome_generation power_function products rectangle_count rubiks_cube
    rearc
""".split()  # as above
"""Tasks whose right answers the library recognizes, but whose wrong answers it scores above 0."""

MAX_ANSWER = 20_000
"""Characters. Right answers have at most 3,000, and some of the library's verifiers are slow."""
MINIMUM = 0.05
"""The library's score for any number in advanced_geometry, and for ``[]`` in knight_swap."""


def exact_text(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 for the reference answer."""
    return float(is_reference_answer(answer, entry))


def all_or_nothing(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 if the library gives 1.0."""
    return float(len(answer) <= MAX_ANSWER and library_score(library, answer) >= 1.0)


def above_minimum(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return the library's score, or 0.0 for the minimum that any answer of the right form gets."""
    return library_score_above(MINIMUM, library, answer)


def game_of_life_halting(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 for the right truth value. The library gives 1.0 to any text that is not empty."""
    return float(answer.strip().casefold() == str(entry["answer"]).casefold())


def codeio(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 for a JSON object equal to the reference answer.

    The library gives 0.5 or more for the right keys, which the question lists.
    """
    if is_reference_answer(answer, entry):
        return 1.0
    expected = parse_json(str(entry["answer"]))
    return float(isinstance(expected, dict) and parse_json(answer) == expected)
