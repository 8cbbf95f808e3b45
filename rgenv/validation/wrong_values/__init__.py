"""Wrong answers in the form of right ones: one number, item, cell or move is changed.

    kind.py           what a changer takes and returns
    numbers.py        integers, decimals, candidates, factors
    probabilities.py  fractions and probabilities
    algebra.py        complex numbers, roots, coordinates, formulas, expressions
    words.py          words, names, texts, roles, statements, intervals of time
    grids.py          lists, matrices and boards
    json_values.py    leaves of JSON values, groups, partitions, colourings
    moves.py          moves, paths, ladders, assignments, points
    other_answers.py  whether a changed answer may be right after all

Example::

    CHANGERS["gcd"]("12", "Find the ... of 24, 36.", random.Random(0))
    # {"next": "13", "digit": "17", "sign": "-12", "zero": "120"}

A changer takes a right answer, written as the library writes it, the question and a source of
randomness. It returns the name of each change and the wrong answer. No changed answer is right:
where a question has several right answers, a change breaks a rule of the question, or is left out
if the answer may still be right (other_answers.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from rgenv.validation.wrong_values.algebra import (
    added_term,
    complex_number,
    formula,
    geometry,
    integral,
    roots,
)
from rgenv.validation.wrong_values.grids import futoshiki, grid, items, life_board, queens, signs
from rgenv.validation.wrong_values.json_values import colours, groups, json_value, partitions
from rgenv.validation.wrong_values.kind import Changer
from rgenv.validation.wrong_values.moves import (
    directions,
    json_moves,
    ladder,
    letters_to_digits,
    point,
    sequence,
)
from rgenv.validation.wrong_values.numbers import (
    bit,
    candidate,
    decimal,
    factors,
    hexadecimal,
    integer,
    last_digit,
    other_base,
)
from rgenv.validation.wrong_values.probabilities import fraction, probability
from rgenv.validation.wrong_values.words import (
    RELATIONS,
    bricks,
    date_or_count,
    interval,
    names,
    negated,
    one_of,
    roles,
    text,
    word_of_question,
    words,
)

_INTEGERS = """
    aiw basic_arithmetic binary_alternation chain_sum count_bits count_primes gcd
    gsm_symbolic largest_island lcm leg_counting letter_counting maze number_sequence products
    rectangle_count rotten_oranges self_reference simple_equations simple_geometry
""".split()
_TRUE_OR_FALSE = "course_schedule game_of_life_halting isomorphic_strings ransom_note".split()
_GRIDS = "arc_agi binary_matrix manipulate_matrix pool_matrix rearc rotate_matrix survo".split()
_NUMBERS = "arc_1d path_star spiral_matrix string_splitting string_synthesis".split()
_TEXTS = """
    bf caesar_cipher emoji_mystery figlet_font palindrome_generation spell_backward
    string_insertion string_manipulation
""".split()
CHANGERS: Mapping[str, Changer] = MappingProxyType(
    {
        **dict.fromkeys(_INTEGERS, integer),
        **dict.fromkeys(_TRUE_OR_FALSE, one_of("True", "False")),
        **dict.fromkeys(_GRIDS, grid()),
        **dict.fromkeys(_NUMBERS, items(" ")),
        **dict.fromkeys(_TEXTS, text),
        "ab": bricks,
        "acre": one_of("on", "off", "undetermined"),
        "advanced_geometry": geometry,
        "base_conversion": other_base,
        "bitwise_arithmetic": hexadecimal,
        "boxnet": json_moves("q"),
        "calendar_arithmetic": date_or_count,
        "circuit_logic": bit,
        "codeio": json_value,
        "coin_flip": probability,
        "color_cube_rotation": word_of_question(r"a (\w+) \w+ side"),
        "complex_arithmetic": complex_number,
        "countdown": formula,
        "cryptarithm": letters_to_digits,
        "decimal_arithmetic": last_digit,
        "decimal_chain_sum": last_digit,
        "dice": fraction,
        "family_relationships": one_of(*RELATIONS),
        "fraction_simplification": fraction,
        "futoshiki": futoshiki,
        "game_of_life": life_board,
        "graph_color": colours,
        "group_anagrams": groups,
        "intermediate_integration": integral,
        "jugs": json_moves("pour A->Q"),
        "kakurasu": grid("01"),
        "knight_swap": json_moves("w,A1,B3"),
        "knights_knaves": roles,
        "letter_jumble": words,
        "list_functions": items(", ", brackets=True),
        "mahjong_puzzle": one_of("Peng", "Chi", "Pass"),
        "mini_sudoku": grid("1234"),
        "modulo_grid": signs,
        "n_queens": queens,
        "needle_haystack": word_of_question(r"(?:^|\. )([A-Z]\w+) "),
        "number_filtering": items(", ", brackets=True),
        "number_format": candidate,
        "number_sorting": items(", ", brackets=True),
        "palindrome_partitioning": partitions,
        "polynomial_equations": roots,
        "polynomial_multiplication": added_term("1"),
        "power_function": decimal,
        "prime_factorization": factors,
        "propositional_logic": negated,
        "puzzle24": formula,
        "quantum_lock": sequence(" → ", "A"),
        "rubiks_cube": sequence(" "),
        "rush_hour": sequence(" "),
        "sentence_reordering": words,
        "shortest_path": directions,
        "simple_integration": integral,
        "sokoban": sequence(""),
        "sudoku": grid("123456789"),
        "syllogism": one_of("Yes", "No"),
        "time_intervals": interval,
        "tower_of_hanoi": sequence("\n"),
        "tsumego": point,
        "word_ladder": ladder,
        "word_sequence_reversal": words,
        "word_sorting": words,
        "zebra_puzzles": names,
    }
)
"""The changer of each of the 105 tasks."""
