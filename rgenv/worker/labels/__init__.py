"""Corrections of the library's wrong reference answers, where the right one can be proven.

    calculus.py   integrals
    figures.py    polygons
    logic.py      syllogisms, conclusions, and riddles about people
    numbers.py    arithmetic, equations, dates and times
    programs.py   programs of codeio whose output can't be predicted
    puzzles.py    boards, cards, knights and buttons
    sentences.py  sentences and words
    sequences.py  sequences of numbers
    solved.py     problems that are solved before the first move
    surfaces/     questions rewritten so that lengths and counts do not give the answer away

Example::

    corrected("syllogism", entry)    # the entry with a proven answer, or None: make another entry

A correction returns None for a question without a right answer ("0*x = 0"), for an ambiguous
question, and for an answer that is too expensive to verify. docs/upstream.md describes each defect
and how frequent it is; benchmarks/labels.py counts them. A worker corrects an entry when it makes
it.

Not here: right answers besides the reference answer (verifiers/).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rgenv.tasks.entry import Entry
from rgenv.worker.coverage import covered
from rgenv.worker.labels import (
    calculus,
    figures,
    logic,
    numbers,
    programs,
    puzzles,
    sentences,
    sequences,
    solved,
)
from rgenv.worker.labels.surfaces import (
    blanks,
    boards,
    cards,
    cubes,
    divisors,
    families,
    graphs,
    intervals,
    knights,
    letters,
    lists,
    matrices,
    patterns,
    stones,
    strings,
)
from rgenv.worker.labels.surfaces import logic as forms

Correction = Callable[[Entry], Entry | None]
"""Returns the entry as it is, a corrected copy, or None. It may raise on an unknown question."""


def _in_turn(first: Correction, second: Correction) -> Correction:
    """Return the correction that applies `second` to the result of `first`."""

    def both(entry: Entry) -> Entry | None:
        result = first(entry)
        return None if result is None else second(result)

    return both


CORRECTIONS: Mapping[str, Correction] = {
    "aiw": logic.aiw,
    "family_relationships": families.family_relationships,
    "needle_haystack": logic.needle_haystack,
    "propositional_logic": logic.propositional_logic,
    "syllogism": forms.syllogism,
    "circuit_logic": forms.circuit_logic,
    "count_primes": intervals.count_primes,
    "gcd": divisors.gcd,
    "group_anagrams": lists.group_anagrams,
    "letter_counting": letters.letter_counting,
    "manipulate_matrix": matrices.manipulate_matrix,
    "number_sorting": lists.number_sorting,
    "kakurasu": blanks.kakurasu,
    "n_queens": blanks.n_queens,
    "survo": blanks.survo,
    "word_sorting": lists.word_sorting,
    "course_schedule": graphs.course_schedule,
    "binary_alternation": strings.binary_alternation,
    "knights_knaves": knights.knights_knaves,
    "intermediate_integration": calculus.intermediate_integration,
    "ransom_note": strings.ransom_note,
    "isomorphic_strings": strings.isomorphic_strings,
    "string_insertion": strings.string_insertion,
    "basic_arithmetic": numbers.basic_arithmetic,
    "calendar_arithmetic": numbers.calendar_arithmetic,
    "coin_flip": numbers.coin_flip,
    "complex_arithmetic": numbers.complex_arithmetic,
    "decimal_arithmetic": numbers.decimal_arithmetic,
    "decimal_chain_sum": numbers.decimal_chain_sum,
    "number_filtering": numbers.number_filtering,
    "number_format": numbers.number_format,
    "number_sequence": sequences.number_sequence,
    "polynomial_equations": numbers.polynomial_equations,
    "power_function": numbers.power_function,
    "caesar_cipher": sentences.caesar_cipher,
    "figlet_font": sentences.figlet_font,
    "sentence_reordering": sentences.sentence_reordering,
    "string_manipulation": sentences.string_manipulation,
    "simple_equations": numbers.simple_equations,
    "simple_geometry": figures.simple_geometry,
    "time_intervals": numbers.time_intervals,
    "codeio": programs.codeio,
    "color_cube_rotation": _in_turn(cubes.color_cube_rotation, puzzles.color_cube_rotation),
    "game_of_life_halting": _in_turn(puzzles.game_of_life_halting, boards.game_of_life_halting),
    "largest_island": boards.largest_island,
    "modulo_grid": patterns.modulo_grid,
    "rotten_oranges": boards.rotten_oranges,
    "knight_swap": puzzles.knight_swap,
    "mahjong_puzzle": _in_turn(cards.mahjong_puzzle, puzzles.mahjong_puzzle),
    "quantum_lock": puzzles.quantum_lock,
    "tsumego": _in_turn(puzzles.tsumego, stones.tsumego),
    "polynomial_multiplication": solved.polynomial_multiplication,
    "sokoban": solved.sokoban,
    "rubiks_cube": solved.rubiks_cube,
}


def corrected(task: str, entry: Entry) -> Entry | None:
    """Return the entry with a reference answer that can be trusted.

    Returns:
        The same object if nothing had to be corrected, the task has no correction or is not
        covered, else a corrected copy; None if no answer is provably right.
    """
    correction = CORRECTIONS.get(task) if covered(task) else None
    if correction is None:
        return entry
    try:
        result = correction(entry)
    except Exception:  # a question in a form unknown to the correction; any parsing step may fail
        return None
    return entry if result == entry else result
