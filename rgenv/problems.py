"""What a problem is, which tasks there are, and which problem item n of a run is.

A problem is its recipe (task, config, seed): worker processes with fixed hash seeds make the same
problem from it on any machine. Item n of a replica is a function of the run's seed, the replica
and n alone::

    >>> stream = Stream(seed=42, tasks={"chain_sum": 1.0, "gcd": 3.0})
    >>> stream.draw(0) == stream.draw(0)
    True

At which level a problem is made is decided in difficulty.py.
"""

from __future__ import annotations

import difflib
import fnmatch
import hashlib
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

SEED_BITS = 30
EVAL_SEEDS = 1 << SEED_BITS
"""Training seeds lie below, evaluation seeds from here on: no recipe is in both."""

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


class UnknownTask(ValueError):
    """A task, category or pattern that matches nothing; the message suggests the nearest."""


@dataclass(frozen=True)
class Problem:
    """One problem, as far as the world outside the workers knows it.

    `config` holds the keyword parameters given to reasoning-gym beside the seed; `level` is the
    difficulty in [0, 1] they were made from, None for the task's defaults; `answer` is None where
    the library keeps no answer and only checks. Where `winnable` is False the verifier does not
    accept the library's own answer, so nobody can earn anything.
    """

    task: str
    seed: int
    level: float | None
    config: Mapping[str, Any]
    question: str = field(repr=False)
    answer: str | None = field(repr=False)
    winnable: bool = field(default=True, repr=False)

    @property
    def recipe(self) -> dict[str, Any]:
        """What remakes this problem in any worker."""
        return {"task": self.task, "config": dict(self.config), "seed": self.seed}


@dataclass(frozen=True)
class Draw:
    """What item n asks for: a task, a seed, and a uniform number that may choose the level."""

    task: str
    seed: int
    uniform: float


class Stream:
    """The sequence of draws of one replica: pure, so a resume only needs n."""

    def __init__(
        self,
        *,
        seed: int,
        tasks: Mapping[str, float],
        replica_id: int = 0,
        num_replicas: int = 1,
    ) -> None:
        self._seed = seed
        self._names = list(tasks)
        self._cumulative = list(accumulate(tasks.values()))
        self._replica_id = replica_id
        self._num_replicas = num_replicas

    def draw(self, n: int) -> Draw:
        """Item `n` (from 0) of this replica; no two replicas of a run share a seed."""
        index = n * self._num_replicas + self._replica_id
        rng = random_for(self._seed, "item", index)
        [task] = rng.choices(self._names, cum_weights=self._cumulative)
        return Draw(task, shuffled_seed(index, self._seed), rng.random())


def evaluation_seeds(task: str, count: int, *, eval_seed: int) -> list[int]:
    """`count` distinct seeds of the evaluation half, fixed by `eval_seed` and the task alone."""
    rng = random_for(eval_seed, "evaluation", task)
    return [EVAL_SEEDS + seed for seed in rng.sample(range(EVAL_SEEDS), count)]


def random_for(*key: object) -> random.Random:
    """A generator that is a function of `key`: no state to save, no order to keep."""
    return random.Random(_digest(*key))


def shuffled_seed(index: int, key: int) -> int:
    """A permutation of the training seeds: distinct indices give distinct seeds.

    Four Feistel rounds over two halves of 15 bits; index counts modulo 2**30.
    """
    half, mask = SEED_BITS // 2, (1 << SEED_BITS // 2) - 1
    left, right = (index >> half) & mask, index & mask
    for step in range(4):
        left, right = right, left ^ (_digest(key, "seed", step, right) & mask)
    return left << half | right


def _digest(*key: object) -> int:
    text = "\x1f".join(map(str, key)).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=16).digest(), "big")


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
            task for task, category in available.items()
            if word == category or fnmatch.fnmatchcase(task, word)
        }  # fmt: skip
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
    return (
        f" Did you mean {' or '.join(near)}?" if near else " `task_names` lists are in README.md."
    )
