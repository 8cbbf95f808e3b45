"""Verifiers of our own, for tasks whose verifier in the library accepts wrong answers.

    exact.py     answers that are right or wrong, without partial credit
    numbers.py   roots, factors, lists and matrices of numbers
    sums.py      formulas over given numbers, and integrals
    times.py     days and counts of days
    words.py     letters and words in their places
    vocabulary.py  the words that the library's word lists know
    grids.py     boards of numbers
    moves.py     sequences of moves
    logic.py     conclusions, and knights and knaves
    programs.py  outputs of programs, and inputs to them
    shared.py    types, text comparison and the scale of partial credit

Example::

    verify("puzzle24", "1*1*4*6", entry, library)    # 0.0, unless the numbers are 1, 1, 4 and 6

`VERIFIERS` maps tasks to verifiers. A task that is missing there or not covered keeps the library's
score. A verifier takes an answer in the form that its kind gives it (rgenv/tasks/answers), the data
set entry and the library's verifier for that entry, and returns a score in [0, 1]: 1.0 for a right
answer only, and never less for a better answer. It raises nothing and takes milliseconds, whatever
the answer.
"""

from __future__ import annotations

from collections.abc import Mapping

from rgenv.tasks.answers import TEXT, canonical
from rgenv.tasks.answers._table import answer_of
from rgenv.tasks.entry import Entry
from rgenv.worker.coverage import covered
from rgenv.worker.verifiers import exact, grids, logic, moves, numbers, programs, sums, times, words
from rgenv.worker.verifiers.shared import LibraryVerifier, Verifier

VERIFIERS: Mapping[str, Verifier] = {
    **dict.fromkeys(exact.EXACT_TEXT, exact.exact_text),
    **dict.fromkeys(exact.ALL_OR_NOTHING, exact.all_or_nothing),
    "boxnet": moves.boxnet,
    "calendar_arithmetic": times.calendar_arithmetic,
    "codeio": programs.codeio,
    "countdown": sums.countdown,
    "emoji_mystery": words.emoji_mystery,
    "family_relationships": words.family_relationships,
    "figlet_font": words.figlet_font,
    "futoshiki": grids.futoshiki,
    "game_of_life": grids.game_of_life,
    "intermediate_integration": sums.integration,
    "kakurasu": grids.kakurasu,
    "knight_swap": moves.knight_swap,
    "knights_knaves": logic.knights_knaves,
    "letter_jumble": words.letter_jumble,
    "mini_sudoku": grids.sudoku,
    "number_sorting": numbers.number_sorting,
    "polynomial_equations": numbers.polynomial_equations,
    "polynomial_multiplication": sums.polynomial_multiplication,
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
    "tower_of_hanoi": moves.tower_of_hanoi,
    "tsumego": moves.tsumego,
    "word_ladder": words.word_ladder,
    "word_sorting": words.word_sorting,
}

__all__ = ["VERIFIERS", "Entry", "LibraryVerifier", "Verifier", "verify"]


def verify(task: str, answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return the score of what an answer says, by our verifier if the task has one.

    Args:
        task: the name of the task.
        answer: the extracted answer, bare or inside ``<answer>`` tags. Our verifiers give the
            tagged form 0.0, because the same answer is also scored without its tags.
        entry: the data set entry that the answer belongs to.
        library: the library's verifier for `entry`.

    Raises:
        Exception: whatever the library's verifier raises, for a task without one of ours.
    """
    ours = VERIFIERS.get(task) if covered(task) else None
    if answer.startswith("<answer>"):
        return library(answer) if ours is None else 0.0
    form = canonical(answer_of(task) if covered(task) else TEXT, answer, entry)
    return library(form) if ours is None else ours(form, entry, library)
