"""The problems of a run."""

from dataclasses import replace

import pytest

from benchmarks.learning.problems import Course, held_out
from benchmarks.learning.tokens import Tokens
from rgenv.types import Problem
from tests.benchmarks.learning.games import TASKS, ToyGym

TOKENS = Tokens(TASKS)


class Reserving(ToyGym):
    """Reserves every other problem for evaluation."""

    def make(self, task: str, seed: int, level: float | None = None) -> Problem:
        """A problem, held out if its seed is odd."""
        return replace(super().make(task, seed, level), held_out=bool(seed % 2))


class Hopeless(ToyGym):
    """Makes only problems that no answer wins."""

    def make(self, task: str, seed: int, level: float | None = None) -> Problem:
        """A problem that can't be won."""
        return replace(super().make(task, seed, level), winnable=False)


def test_the_kth_problem_of_a_task_has_the_same_seed_at_any_level() -> None:
    """So arms that choose other levels or other tasks in between get the same problems."""
    first, second = Course(ToyGym(), TOKENS, 1), Course(ToyGym(), TOKENS, 1)
    second.next("lcm", 0.3)
    seeds = [first.next("gcd", 0.1)[0].seed for _ in range(3)]
    assert [second.next("gcd", 0.5)[0].seed for _ in range(3)] == seeds
    assert Course(ToyGym(), TOKENS, 2).next("gcd", 0.1)[0].seed not in seeds


def test_held_out_problems_are_never_trained_on() -> None:
    """They are skipped, as in the environment's stream."""
    course = Course(Reserving(), TOKENS, 1)
    assert all(course.next("gcd", 0.1)[0].seed % 2 == 0 for _ in range(5))


def test_a_task_without_problems_is_an_error() -> None:
    """A run does not wait for ever."""
    with pytest.raises(RuntimeError, match=r"gcd at level 0\.1"):
        Course(Hopeless(), TOKENS, 1).next("gcd", 0.1)


def test_held_out_problems_have_the_levels_of_training_and_a_harder_one() -> None:
    """As many of each as were asked for."""
    problems = held_out(ToyGym(), TOKENS, TASKS, 3)
    assert {level for _, level in problems} == {0.0, 0.3, 0.6, 0.9}
    assert {len(asked) for asked in problems.values()} == {3}
