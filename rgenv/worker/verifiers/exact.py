"""Verifiers for tasks whose answers are right or wrong, without partial credit.

The library scores ``1120`` 0.75 where 120 is right, because the text contains the right answer, and
scores any text of the right form 0.01 to 0.1. Here both score 0.0.

Not here: other forms of a right answer, which are read before (rgenv/tasks/answers).
"""

from __future__ import annotations

from rgenv.tasks.entry import Entry
from rgenv.worker.verifiers.shared import LibraryVerifier, is_reference_answer, library_score

EXACT_TEXT = """
    acre advanced_geometry aiw arc_1d base_conversion basic_arithmetic bf binary_alternation
    bitwise_arithmetic caesar_cipher chain_sum circuit_logic coin_flip color_cube_rotation
    complex_arithmetic count_bits count_primes course_schedule decimal_arithmetic decimal_chain_sum
    dice fraction_simplification game_of_life_halting gcd gsm_symbolic
    isomorphic_strings largest_island lcm leg_counting letter_counting list_functions mahjong_puzzle
    maze modulo_grid needle_haystack number_filtering number_format number_sequence power_function
    products ransom_note rectangle_count rotate_matrix rotten_oranges self_reference
    simple_equations simple_geometry string_manipulation string_splitting string_synthesis syllogism
    time_intervals word_sequence_reversal zebra_puzzles
""".split()  # a table of words is easier to read
"""Tasks with one right answer. What is read as the right value has the reference answer's form."""

ALL_OR_NOTHING = """
    arc_agi cryptarithm graph_color group_anagrams jugs manipulate_matrix palindrome_generation
    rubiks_cube rearc
""".split()  # as above
"""Tasks whose right answers the library recognizes, but whose wrong answers it scores above 0."""

MAX_ANSWER = 20_000
"""Characters. Right answers have at most 3,000, and some of the library's verifiers are slow."""


def exact_text(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 for the reference answer."""
    return float(is_reference_answer(answer, entry))


def all_or_nothing(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 if the library gives 1.0."""
    return float(len(answer) <= MAX_ANSWER and library_score(library, answer) >= 1.0)
