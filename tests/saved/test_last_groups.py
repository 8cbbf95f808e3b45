"""rgenv/saved/last_groups.py: which group of a problem counts."""

from rgenv.saved.last_groups import LastGroups
from rgenv.saved.lines import SavedGroup


def saved(group: str, time: float | None, run: str = "r") -> SavedGroup:
    return SavedGroup("rollouts", group, "gcd", [], time=time, recipe={"seed": 1}, run=run)


def test_the_group_with_the_latest_time_counts() -> None:
    """Files may be read in any order, and twice; of equal times, the group read last counts."""
    last = LastGroups()
    assert last.add(saved("b", 2.0)) == ""
    assert last.add(saved("b", 2.0)) == ""
    assert last.add(saved("a", 1.0)) == "a"
    assert last.add(saved("c", 2.0)) == "b"
    assert last.add(saved("old", None)) == "old"


def test_groups_of_other_runs_and_of_none_count() -> None:
    """Without a run, nothing tells whether a group is of another run."""
    last = LastGroups()
    groups = [saved("a", 1.0), saved("b", 1.0, "s"), saved("c", 1.0, ""), saved("d", 1.0, "")]
    assert [last.add(group) for group in groups] == [""] * 4
