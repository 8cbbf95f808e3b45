from dataclasses import replace
from itertools import pairwise

from hypothesis import given, settings

from rgenv.evaluation.estimates import BINS, accuracy, by_length, estimate
from rgenv.evaluation.results import problem_results
from rgenv.types import Sample
from tests.support.samples import run_of, sample, sample_runs


def test_tasks_and_levels_are_strata() -> None:
    """What differs between them is no noise; a mixture in one task is."""
    apart = problem_results(
        [sample(task, n, float(task == "gcd")) for task in ("gcd", "lcm") for n in range(20)]
    )
    levels = problem_results(
        [sample("gcd", n, level, level=level) for level in (0.0, 1.0) for n in range(20)]
    )
    mixed = problem_results(run_of(*[1, 0] * 20))
    widths = [(found := estimate(r, accuracy)).high - found.low for r in (apart, levels, mixed)]
    assert widths[0] == widths[1] < 0.7 * widths[2]


def test_problems_of_one_family_tell_as_much_as_one() -> None:
    """Twenty problems of five families have the interval of five; without families, of twenty."""
    run = run_of(*[1, 1, 0, 0, 0] * 4)
    alike = [made | {"family": 7 + made["seed"] % 5} for made in run]
    five, twenty = (problem_results(some) for some in (run[:5], run))
    assert estimate(problem_results(alike), accuracy) == replace(
        estimate(five, accuracy), problems=20
    )
    assert estimate(twenty, accuracy).high < estimate(five, accuracy).high


@settings(max_examples=40)
@given(sample_runs)
def test_every_completion_of_known_length_is_in_one_bin(run: list[Sample]) -> None:
    """Bins are in order and do not overlap."""
    found = by_length(run)
    known = [s for s in run if s.get("completion_tokens") is not None]
    assert sum(b.completions for b in found) == len(known) and len(found) <= BINS
    assert sum(b.truncated for b in found) == sum(s["finish_reason"] == "length" for s in known)
    ends = [end for b in found for end in (b.shortest, b.longest)]
    assert ends == sorted(ends)
    assert all(a.longest < b.shortest for a, b in pairwise(found))
