"""What a problem is, which tasks there are, and how users choose among them.

    choose_tasks(KNOWN_TASKS, ["arithmetic", "*_sorting"], exclude=["gsm_symbolic"])

A problem is its recipe (task, config, seed): worker processes with fixed hash seeds make the same
problem from it on any machine. Which recipe comes next is decided in stream.py, at which level in
difficulty.py.
"""

from __future__ import annotations

import difflib
import fnmatch
from collections.abc import Mapping, Sequence

from rgenv.errors import UnknownTask

COMPOSITE = "composite"
"""The one task that does not work with default parameters: its data sets must be configured."""

_KNOWN = {
    "algebra": (
        "complex_arithmetic intermediate_integration polynomial_equations "
        "polynomial_multiplication simple_equations simple_integration"
    ),
    "algorithmic": (
        "ab base_conversion binary_alternation binary_matrix caesar_cipher count_primes "
        "cryptarithm game_of_life game_of_life_halting graph_color group_anagrams "
        "isomorphic_strings jugs letter_counting letter_jumble manipulate_matrix "
        "number_filtering number_sorting palindrome_generation palindrome_partitioning "
        "pool_matrix ransom_note rotate_matrix rotten_oranges sentence_reordering "
        "spell_backward spiral_matrix string_insertion string_manipulation "
        "string_splitting string_synthesis word_ladder word_sequence_reversal "
        "word_sorting"
    ),
    "arc": "arc_1d arc_agi rearc",
    "arithmetic": (
        "basic_arithmetic bitwise_arithmetic calendar_arithmetic chain_sum count_bits "
        "decimal_arithmetic decimal_chain_sum dice fraction_simplification gcd "
        "gsm_symbolic lcm leg_counting number_format power_function prime_factorization "
        "products time_intervals"
    ),
    "code": "bf codeio",
    "cognition": (
        "color_cube_rotation figlet_font modulo_grid needle_haystack number_sequence "
        "rectangle_count rubiks_cube"
    ),
    "games": (
        "boxnet countdown emoji_mystery futoshiki kakurasu knight_swap mahjong_puzzle "
        "maze mini_sudoku n_queens puzzle24 rush_hour sokoban sudoku survo "
        "tower_of_hanoi tsumego"
    ),
    "geometry": "advanced_geometry simple_geometry",
    "graphs": (
        "course_schedule family_relationships largest_island path_star quantum_lock shortest_path"
    ),
    "induction": "acre list_functions",
    "logic": (
        "aiw circuit_logic knights_knaves propositional_logic self_reference syllogism "
        "zebra_puzzles"
    ),
    "probability": "coin_flip",
    "composite": "composite",
}
KNOWN_TASKS: dict[str, str] = {
    task: category for category, tasks in _KNOWN.items() for task in tasks.split()
}
"""Name -> category in reasoning-gym 0.1.25, for when its registry can't be read."""


def choose_tasks(
    available: Mapping[str, str],
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    *,
    configured: Sequence[str] = (),
) -> list[str]:
    """The tasks a user asked for, in name order.

    Args:
        available: name -> category of every task there is.
        include: names, categories or glob patterns; empty means all.
        exclude: the same, taken away from `include`.
        configured: tasks with parameters of their own; composite is served only among these.

    Raises:
        UnknownTask: a word matches nothing.
        ValueError: nothing is left, or composite is asked for by name and not configured.
    """
    chosen = _matching(available, include) if include else set(available)
    chosen -= _matching(available, exclude)
    if COMPOSITE in chosen and COMPOSITE not in configured:
        if COMPOSITE in include:
            raise ValueError(
                "composite has no data sets of its own: configure task_configs.composite.datasets "
                "(a list of {name, weight, config}), or leave it out of task_names."
            )
        chosen.discard(COMPOSITE)
    if not chosen:
        raise ValueError("No task is left: exclude_tasks takes away all that task_names chooses.")
    return sorted(chosen)


def _matching(available: Mapping[str, str], words: Sequence[str]) -> set[str]:
    chosen: set[str] = set()
    for word in words:
        found = {
            task
            for task, category in available.items()
            if word == category or fnmatch.fnmatchcase(task, word)
        }
        if not found:
            raise UnknownTask(
                f"No task or category is called {word!r}.{suggestion(word, available)}"
            )
        chosen |= found
    return chosen


def suggestion(word: str, available: Mapping[str, str]) -> str:
    """A sentence with the names nearest to `word`, to append to an error."""
    names = [*available, *set(available.values())]
    near = difflib.get_close_matches(word, names, n=3, cutoff=0.5)
    return f" Did you mean {' or '.join(near)}?" if near else " docs/TASKS.md lists the tasks."
