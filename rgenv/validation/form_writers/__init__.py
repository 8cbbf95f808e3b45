"""Other ways to write a right answer, by the kind of its value.

    kind.py           what a writer takes and returns, and what several share
    numbers.py        integers, decimals, powers of ten, factors
    probabilities.py  fractions, percentages, probabilities
    algebra.py        complex numbers, roots, coordinates, formulas, expressions
    words.py          words, sentences, roles, statements, intervals of time
    lists.py          lists, JSON values, assignments
    grids.py          matrices and boards
    moves.py          moves, paths, points

Example::

    WRITERS["simple_equations"]("1134", "Solve for x: 2*x = 2268")
    # {"point zero": "1134.0", "thousands": "1,134", "assignment": "x = 1134", ...}

A writer takes a right answer, written as the library writes it, and the question. It returns the
name of each form and the text. Only forms that a fair reader accepts for this question are written:
where a question prescribes a form, such as two factors separated by ×, no other one counts.

These writers know nothing of the worker's readers, which they test.

Not here: wrappers around a whole answer (forms.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from rgenv.validation.form_writers.algebra import (
    complex_number,
    expression,
    formula,
    geometry,
    roots,
)
from rgenv.validation.form_writers.grids import (
    compact_rows,
    futoshiki,
    grid,
    life_board,
    signs,
    two_decimals,
)
from rgenv.validation.form_writers.kind import Writer, joined, nothing
from rgenv.validation.form_writers.lists import (
    bracketed,
    json_value,
    mapping,
    separated,
    shortened_numbers,
)
from rgenv.validation.form_writers.moves import (
    buttons,
    coordinate,
    directions,
    disk_moves,
    letters,
    moves,
    moves_or_no,
    signed_moves,
)
from rgenv.validation.form_writers.numbers import (
    assignment,
    candidate,
    decimal,
    factors,
    hexadecimal,
    integer,
    padded_decimal,
    scientific,
)
from rgenv.validation.form_writers.probabilities import fraction, probability
from rgenv.validation.form_writers.words import (
    capitals,
    conclusion,
    date_or_count,
    interval,
    relation,
    roles,
    sentence,
    word,
)

_INTEGERS = """
    aiw basic_arithmetic binary_alternation chain_sum circuit_logic count_bits count_primes gcd
    gsm_symbolic largest_island lcm leg_counting letter_counting maze number_sequence products
    rectangle_count rotten_oranges self_reference simple_geometry
""".split()
_FIXED_WORDS = """
    acre color_cube_rotation course_schedule game_of_life_halting isomorphic_strings
    mahjong_puzzle ransom_note syllogism zebra_puzzles
""".split()
_GRIDS = "binary_matrix manipulate_matrix n_queens rotate_matrix survo".split()
_COMPACT_GRIDS = "arc_agi kakurasu mini_sudoku rearc sudoku".split()
_TEXTS = """
    base_conversion bf caesar_cipher needle_haystack palindrome_generation spell_backward
    string_insertion string_manipulation
""".split()
WRITERS: Mapping[str, Writer] = MappingProxyType(
    {
        **dict.fromkeys(_INTEGERS, integer),
        **dict.fromkeys(_FIXED_WORDS, word),
        **dict.fromkeys(_GRIDS, grid),
        **dict.fromkeys(_COMPACT_GRIDS, joined(grid, compact_rows)),
        **dict.fromkeys(_TEXTS, nothing),
        "ab": separated(of_words=True),
        "advanced_geometry": geometry,
        "arc_1d": separated(of_words=False),
        "bitwise_arithmetic": hexadecimal,
        "boxnet": json_value(),
        "calendar_arithmetic": date_or_count,
        "codeio": json_value(),
        "coin_flip": probability,
        "complex_arithmetic": complex_number,
        "countdown": formula,
        "cryptarithm": mapping,
        "decimal_arithmetic": decimal,
        "decimal_chain_sum": padded_decimal,
        "dice": fraction,
        "emoji_mystery": sentence,
        "family_relationships": relation,
        "figlet_font": capitals,
        "fraction_simplification": fraction,
        "futoshiki": futoshiki,
        "game_of_life": life_board,
        "graph_color": json_value(),
        "group_anagrams": json_value(single_quotes=True, any_order=True),
        "intermediate_integration": expression,
        "jugs": json_value(),
        "knight_swap": moves_or_no,
        "knights_knaves": roles,
        "letter_jumble": sentence,
        "list_functions": bracketed,
        "modulo_grid": signs,
        "number_filtering": bracketed,
        "number_format": joined(candidate, decimal),
        "number_sorting": joined(bracketed, shortened_numbers),
        "palindrome_partitioning": json_value(single_quotes=True, any_order=True),
        "path_star": separated(of_words=False, arrows=True),
        "polynomial_equations": joined(roots, assignment),
        "polynomial_multiplication": expression,
        "pool_matrix": joined(grid, two_decimals),
        "power_function": scientific,
        "prime_factorization": factors,
        "propositional_logic": conclusion,
        "puzzle24": formula,
        "quantum_lock": buttons,
        "rubiks_cube": moves,
        "rush_hour": signed_moves,
        "sentence_reordering": sentence,
        "shortest_path": directions,
        "simple_equations": joined(integer, assignment),
        "simple_integration": expression,
        "sokoban": letters,
        "spiral_matrix": separated(of_words=False),
        "string_splitting": separated(of_words=False),
        "string_synthesis": separated(of_words=False),
        "time_intervals": interval,
        "tower_of_hanoi": disk_moves,
        "tsumego": coordinate,
        "word_ladder": separated(of_words=True, arrows=True),
        "word_sequence_reversal": separated(of_words=True),
        "word_sorting": separated(of_words=True),
    }
)
"""The writer of each of the 105 tasks."""
