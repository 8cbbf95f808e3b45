"""Labels that the library gets wrong, put right where the right one can be proven.

::

    corrected("syllogism", entry)    # the entry with a proven answer, or None: make another

None is for items without a right answer ("0*x = 0"), with one that hangs on what the question
leaves open, or with one that is dearer to prove than to do without. What was found wrong, how
often, and how it is shown, is in docs/upstream.md and benchmarks/labels.py. Runs in a worker,
when an entry is made. Not here: answers beside the label that are right as well (verifiers/).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rgenv.worker.labels import logic, numbers, puzzles

Entry = dict[str, Any]
Correction = Callable[[Entry], Entry | None]

CORRECTIONS: Mapping[str, Correction] = {
    "aiw": logic.aiw,
    "family_relationships": logic.family_relationships,
    "needle_haystack": logic.needle_haystack,
    "propositional_logic": logic.propositional_logic,
    "syllogism": logic.syllogism,
    "basic_arithmetic": numbers.basic_arithmetic,
    "calendar_arithmetic": numbers.calendar_arithmetic,
    "complex_arithmetic": numbers.complex_arithmetic,
    "decimal_arithmetic": numbers.decimal_arithmetic,
    "decimal_chain_sum": numbers.decimal_chain_sum,
    "number_filtering": numbers.number_filtering,
    "polynomial_equations": numbers.polynomial_equations,
    "simple_equations": numbers.simple_equations,
    "time_intervals": numbers.time_intervals,
    "color_cube_rotation": puzzles.color_cube_rotation,
    "game_of_life_halting": puzzles.game_of_life_halting,
    "knight_swap": puzzles.knight_swap,
    "mahjong_puzzle": puzzles.mahjong_puzzle,
    "quantum_lock": puzzles.quantum_lock,
    "tsumego": puzzles.tsumego,
}


def corrected(task: str, entry: Entry) -> Entry | None:
    """`entry` with an answer that can be trusted; None when no answer to it is provably right."""
    correction = CORRECTIONS.get(task)
    if correction is None:
        return entry
    try:
        mended = correction(entry)
    except Exception:  # not the question that the correction was written for
        return None
    return entry if mended == entry else mended
