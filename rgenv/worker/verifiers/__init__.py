"""Verifiers of ours, for the tasks whose own verifier pays for answers that are not right.

::

    verify("puzzle24", "1*1*4*6", entry, library)    # 0.0, unless 1, 1, 4 and 6 were given

`VERIFIERS` names every task that is taken over; for all others the library's verdict stands. A
verifier here gets the answer, the entry and the library's own verifier, and gives a score in
[0, 1]: 1.0 for a right answer and nothing else, and never less for a better answer. It raises
nothing and takes milliseconds, whatever the text.
"""

from __future__ import annotations

from collections.abc import Mapping

from rgenv.worker.verifiers import exact, grids, logic, moves, numbers, sums, times, words
from rgenv.worker.verifiers.shared import Entry, Library, Verifier

VERIFIERS: Mapping[str, Verifier] = {
    **dict.fromkeys(exact.SAME_TEXT, exact.same),
    **dict.fromkeys(exact.RIGHT_FOR_THE_LIBRARY, exact.right_for_the_library),
    "advanced_geometry": exact.advanced_geometry,
    "boxnet": moves.boxnet,
    "calendar_arithmetic": times.calendar_arithmetic,
    "codeio": exact.codeio,
    "coin_flip": numbers.coin_flip,
    "complex_arithmetic": numbers.complex_arithmetic,
    "countdown": sums.countdown,
    "emoji_mystery": words.emoji_mystery,
    "figlet_font": words.figlet_font,
    "fraction_simplification": numbers.fraction_simplification,
    "futoshiki": grids.futoshiki,
    "game_of_life": grids.game_of_life,
    "game_of_life_halting": exact.game_of_life_halting,
    "gsm_symbolic": numbers.gsm_symbolic,
    "intermediate_integration": sums.integration,
    "kakurasu": grids.kakurasu,
    "knight_swap": exact.knight_swap,
    "knights_knaves": logic.knights_knaves,
    "letter_jumble": words.letter_jumble,
    "mini_sudoku": grids.sudoku,
    "number_sorting": numbers.number_sorting,
    "polynomial_equations": numbers.polynomial_equations,
    "pool_matrix": numbers.pool_matrix,
    "prime_factorization": numbers.prime_factorization,
    "propositional_logic": logic.propositional_logic,
    "puzzle24": sums.puzzle24,
    "quantum_lock": moves.quantum_lock,
    "rush_hour": moves.rush_hour,
    "sentence_reordering": words.sentence_reordering,
    "simple_integration": sums.integration,
    "sokoban": moves.sokoban,
    "spell_backward": words.spell_backward,
    "sudoku": grids.sudoku,
    "survo": grids.survo,
    "time_intervals": times.time_intervals,
    "tower_of_hanoi": moves.tower_of_hanoi,
    "word_sorting": words.word_sorting,
}

__all__ = ["VERIFIERS", "Entry", "Library", "Verifier", "verify"]


def verify(task: str, answer: str, entry: Entry, library: Library) -> float:
    """The score of one form of an answer, by our verifier where there is one.

    Ours have no use for the tagged form: what it holds was scored without the tags.
    """
    ours = VERIFIERS.get(task)
    if ours is None:
        return library(answer)
    return 0.0 if answer.startswith("<answer>") else ours(answer, entry, library)
