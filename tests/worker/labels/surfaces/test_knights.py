"""Riddles whose words do not tell who lies."""

from collections import Counter

from reasoning_gym.logic.knights_knaves import KnightsKnavesDataset

from benchmarks.label_checks import CHECKS
from rgenv.tasks.logic.knights_knaves import SOLUTIONS, is_true, riddles
from rgenv.tasks.logic.knights_knaves import correct as knights_knaves
from tests.worker.labels.surfaces.served import made, served


def test_riddles_have_their_solution_and_no_other() -> None:
    """The library's own solver finds the one solution of every riddle in the table."""
    for group in riddles()[::10]:
        for solution, group_riddles in group.items():
            for riddle in group_riddles:
                assert KnightsKnavesDataset.find_solution(riddle) == [solution]


def test_served_riddles_pass_an_independent_check() -> None:
    """The text of the question has the reference answer as its solution, each about as often."""
    entries = served(knights_knaves, "knights_knaves", None, 240)
    assert len(entries) == 240
    assert all(CHECKS["knights_knaves"](entry) is True for entry in entries)
    counts = Counter(entry["metadata"]["solution"] for entry in entries)
    assert set(counts) == set(SOLUTIONS) and max(counts.values()) < 0.4 * 240


def test_riddles_about_more_people_stay() -> None:
    """Only riddles about two people are replaced."""
    for entry in made("knights_knaves", 0.5, 5):
        assert knights_knaves(entry) is entry


def test_truth_of_statements() -> None:
    """A knight (True) and a knave (False) are what the statements say of them."""
    knight, knave = ("telling-truth", 0), ("lying", 1)
    for statement in (knight, knave, ("and", knight, knave), ("<=>", knight, knave)):
        assert is_true(statement, (True, False)) and not is_true(("not", statement), (True, False))
    assert not is_true(("->", knight, ("telling-truth", 1)), (True, False))
    assert is_true(("->", ("lying", 0), knave), (True, True))
