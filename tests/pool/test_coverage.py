"""rgenv/pool/coverage.py: what a worker reports about the tasks of the library."""

from rgenv.measured import RELEASE
from rgenv.pool.coverage import Coverage

REPORT = {
    "sources": {"gcd": "aa", "lcm": "bb", "doubling": "cc"},
    "differences": {"changed": ["gcd"], "new": ["doubling"], "gone": ["maze"]},
}


def test_each_task_has_a_state_and_a_source() -> None:
    found = Coverage.of(REPORT)
    names = ("gcd", "lcm", "doubling", "maze")
    assert [found.state(task) for task in names] == ["changed", "covered", "new", "gone"]
    assert [found.source(task) for task in names] == ["aa", "bb", "cc", ""]
    assert found.tasks("gone") == ["maze"]


def test_a_warning_says_what_is_lost_and_what_to_do() -> None:
    """There is none if our corrections apply to all tasks, and none of the lists is empty."""
    assert Coverage().warning is None and Coverage.of({"ready": True}).warning is None
    warning = Coverage.of(REPORT).warning or ""
    for words in ("gcd; new: doubling)", "gone: maze.", f"pip install reasoning-gym=={RELEASE}`"):
        assert words in warning
    gone = Coverage.of({"differences": {"gone": ["maze"]}}).warning
    assert gone is not None and gone.startswith("These tasks are gone: maze. ")
