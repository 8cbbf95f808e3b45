"""rgenv/worker/symmetries/table.py, and the page that is made from it."""

from rgenv.worker.symmetries.table import ALL, INVARIANTS


def test_each_invariant_says_what_it_keeps_and_ignores() -> None:
    """Both are short phrases for a table."""
    for each in ALL:
        assert each.keeps and each.ignores, each.tasks
        assert not (each.keeps + each.ignores).endswith(".")


def test_no_task_is_listed_twice() -> None:
    """Each task has the invariant of its entry in the list."""
    assert sum(len(each.tasks) for each in ALL) == len(INVARIANTS)
    assert INVARIANTS["lcm"] is INVARIANTS["gcd"] is not INVARIANTS["maze"]
