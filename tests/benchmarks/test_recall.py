"""benchmarks/recall.py: right answers that are refused, and wrong ones that are paid."""

from benchmarks.recall import Counts, measure
from rgenv.types import Problem, Verdict

PROBLEM = Problem("gcd", 7, 0.5, {}, "Find the GCD of 24, 36.", "12")
PAID, REFUSED = Verdict(1.0, "scored", 1.0, 0.0), Verdict(0.0, "scored", 0.0, 0.0)


def test_counts_name_what_was_refused_and_what_was_paid() -> None:
    """The report has the shares by form, task and level, and an example of each fault."""
    counts = Counts()
    counts.count_right(PROBLEM, "plain", "12", PAID)
    assert counts.is_good
    counts.count_right(PROBLEM, "boxed", "\\boxed{12}", REFUSED)
    assert not counts.is_good
    counts.count_wrong(PROBLEM, "next, plain", "13", PAID)
    counts.count_wrong(PROBLEM, "near, plain", "10", Verdict(0.3, "scored", 0.3, 0.0))
    report = counts.report()
    assert report["recall"]["all"] == {"all": [0.5, 1, 2]}
    assert report["recall"]["form"] == {"boxed": [0.0, 0, 1], "plain": [1.0, 1, 1]}
    assert report["recall"]["level"] == {"0.5": [0.5, 1, 2]}
    assert [example["text"] for example in report["refusals"]] == ["\\boxed{12}"]
    assert report["wrong"]["answers"] == 2
    assert report["wrong"]["paid"] == 1
    assert report["wrong"]["credited"] == {"gcd": 2}
    assert [example["form"] for example in report["wrong"]["examples"]] == ["next, plain"]


def test_a_paid_wrong_answer_is_never_good() -> None:
    """Full recall does not make up for it."""
    counts = Counts()
    counts.count_right(PROBLEM, "plain", "12", PAID)
    counts.count_wrong(PROBLEM, "next, plain", "13", PAID)
    assert not counts.is_good


async def test_real_problems_are_measured() -> None:
    """A worker pool scores every form at every level that is asked for."""
    counts = await measure(["gcd", "lcm"], (None, 1.0), 1, 0)
    report = counts.report()
    assert set(report["recall"]["task"]) == {"gcd", "lcm"}
    assert set(report["recall"]["level"]) == {"default", "1"}
    assert report["wrong"]["answers"] > 200
    assert counts.is_good
