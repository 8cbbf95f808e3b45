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

from rgenv import logic_labels, number_labels, puzzle_labels

Entry = dict[str, Any]
Correction = Callable[[Entry], Entry | None]

CORRECTIONS: Mapping[str, Correction] = {
    "aiw": logic_labels.aiw,
    "family_relationships": logic_labels.family_relationships,
    "needle_haystack": logic_labels.needle_haystack,
    "propositional_logic": logic_labels.propositional_logic,
    "syllogism": logic_labels.syllogism,
    "basic_arithmetic": number_labels.basic_arithmetic,
    "calendar_arithmetic": number_labels.calendar_arithmetic,
    "complex_arithmetic": number_labels.complex_arithmetic,
    "decimal_arithmetic": number_labels.decimal_arithmetic,
    "decimal_chain_sum": number_labels.decimal_chain_sum,
    "number_filtering": number_labels.number_filtering,
    "polynomial_equations": number_labels.polynomial_equations,
    "simple_equations": number_labels.simple_equations,
    "time_intervals": number_labels.time_intervals,
    "color_cube_rotation": puzzle_labels.color_cube_rotation,
    "game_of_life_halting": puzzle_labels.game_of_life_halting,
    "knight_swap": puzzle_labels.knight_swap,
    "mahjong_puzzle": puzzle_labels.mahjong_puzzle,
    "quantum_lock": puzzle_labels.quantum_lock,
    "tsumego": puzzle_labels.tsumego,
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
