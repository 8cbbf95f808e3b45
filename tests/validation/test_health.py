"""rgenv/validation/health.py: each rule holds just inside its limit and breaks just outside."""

from dataclasses import replace

import pytest

from rgenv.validation.health import RULES, Attempt, LevelReport, ProblemReport, TaskReport
from rgenv.validation.measures import Constant, Share, Work
from rgenv.validation.programs import Program

HEALTHY = ProblemReport(
    seed=3,
    prompt_tokens=40,
    make_seconds=0.01,
    remade=True,
    reference="12",
    reference_score=1.0,
    score_seconds=0.01,
    wrong=(Attempt("other", "13", 0.0),),
    junk=(Attempt("nan", "nan", 0.0),),
)


BOXED, REFUSED = Attempt("boxed", "12", 1.0), Attempt("boxed", "12", 0.0)
TOP = Program("constant", "5", Share(20, 100))


def report(*problems: ProblemReport, **level: object) -> TaskReport:
    """Return the report of a task with these problems at its defaults."""
    return TaskReport("toy", "toys", (LevelReport(None, problems or (HEALTHY,), **level),))


def broken(*problems: ProblemReport, **level: object) -> list[str]:
    return list(report(*problems, **level).broken)


def test_a_healthy_task_breaks_nothing() -> None:
    """A reference answer with 1.0, wrong answers and junk with 0.0 break no rule."""
    assert broken() == [] and report().unexplained == []


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"reference_score": 1.0}, None),
        ({"reference_score": 0.999}, "oracle"),
        ({"reference": None, "reference_score": None}, None),
        ({"wrong": (Attempt("swap", "21", 0.49),)}, None),
        ({"wrong": (Attempt("swap", "21", 0.5),)}, "wrong"),
        ({"reference": "1 2", "wrong": (Attempt("swap", "2 1", 0.49),)}, None),
        ({"reference": "1 2", "wrong": (Attempt("swap", "2 1", 0.5),)}, "near"),
        ({"reference": "1 2", "wrong": (Attempt("swap", "2 1", 1.0),)}, "wrong"),
        ({"reference": "1 2", "wrong": (Attempt("other", "3 1", 0.5),)}, "wrong"),
        ({"wrong": (Attempt("swap", "21", 1.0, right=True),)}, None),
        ({"junk": (Attempt("echo", "?", 0.05),)}, None),
        ({"junk": (Attempt("echo", "?", 0.06),)}, "junk"),
        ({"forms": (*[BOXED] * 98, *[REFUSED] * 2)}, None),
        ({"forms": (*[BOXED] * 97, *[REFUSED] * 3)}, "form"),
        ({"remade": False}, "remake"),
        ({"winnable": False}, "made"),
    ],
)
def test_each_rule_has_two_sides(change: dict[str, object], rule: str | None) -> None:
    """Just inside a limit no rule breaks, just outside exactly one does, which is explained."""
    assert broken(replace(HEALTHY, **change)) == ([rule] if rule else [])
    assert rule is None or rule in RULES


@pytest.mark.parametrize(("mean", "expected"), [(0.52, []), (0.53, ["blind"]), (0.1, [])])
def test_a_constant_may_earn_its_share(mean: float, expected: list[str]) -> None:
    """A constant may exceed the share of problems it is right for by 0.02, not by more."""
    assert broken(constant=Constant("yes", mean, 0.5)) == expected


@pytest.mark.parametrize(
    ("measured", "rule"),
    [
        ({"programs": (Program("rule", "copy", Share(15, 100)),)}, None),
        ({"programs": (Program("rule", "copy", Share(30, 100)),)}, "shortcut"),
        ({"programs": (TOP, Program("rule", "copy", Share(30, 100)))}, None),
        ({"programs": (TOP, Program("forest", "all", Share(60, 100)))}, "shortcut"),
        ({"programs": (Program("constant", "5", Share(60, 100)),)}, None),
        ({"programs": (Program("constant", "5", Share(75, 100)),)}, "constant"),
    ],
)
def test_each_rule_of_a_level_has_two_sides(measured: dict[str, object], rule: str | None) -> None:
    """A share breaks its rule where its interval lies beyond the limit, not where noise may."""
    assert broken(**measured) == ([rule] if rule else [])
    assert rule is None or rule in RULES


def test_the_cheapest_program_that_solves_too_much_is_named() -> None:
    """A forest that solves more is no simpler; if none solves too much, the best one is named."""
    table, forest = (
        Program("table", "words", Share(50, 100)),
        Program("forest", "all", Share(90, 100)),
    )
    level = LevelReport(None, (HEALTHY,), programs=(TOP, table, forest))
    assert level.shortcut is table and level.beyond == pytest.approx(0.7)
    few = replace(table, solved=Share(25, 100))
    assert replace(level, programs=(TOP, few)).shortcut is few
    assert LevelReport(None).shortcut is LevelReport(None).top_answer is None


def test_work_has_to_rise_over_the_levels() -> None:
    """The fault names the two levels; the defaults are no level."""
    levels = [LevelReport(x, (HEALTHY,), work=Work(w, 0.1)) for x, w in [(0, 3), (0.5, 2), (1, 4)]]
    [fault] = TaskReport("toy", "toys", (LevelReport(None, (HEALTHY,)), *levels)).faults
    assert fault.rule == "work" and str(fault).endswith("3 at level 0, 2 at level 0.5")


def test_one_failure_in_ten_is_tolerated() -> None:
    """A level of which one problem in ten fails works; one that fails more often does not."""
    assert broken(*[HEALTHY] * 9, failed=("seed 1: timeout",)) == []
    assert broken(*[HEALTHY] * 8, failed=("seed 1: timeout",) * 2) == ["made"]


@pytest.mark.parametrize(("kind", "expected"), [("other", ["wrong"]), ("swap", [])])
def test_wrong_answers_that_are_right_for_most_problems_are_a_fault(
    kind: str, expected: list[str]
) -> None:
    """Other problems' answers can't be right each time; the order of parts can be free."""
    problem = replace(HEALTHY, wrong=(Attempt(kind, "21", 1.0, right=True),))
    assert broken(*[problem] * 3) == expected
    assert broken(*[problem] * 3, *[HEALTHY] * 9) == []


def test_a_fault_names_the_worst_case() -> None:
    """The text has the level, the number of problems, and the lowest score with its seed."""
    low = replace(HEALTHY, reference_score=0.2, seed=8)
    lower = replace(HEALTHY, reference_score=0.1, seed=9)
    [fault] = report(low, HEALTHY, lower).faults
    assert str(fault) == (
        "oracle: the reference answers of 2 of 3 problems earn less than 1.0 (0.10 for seed 9) "
        "at the defaults"
    )


def test_a_known_fault_is_listed_and_excused() -> None:
    """A fault with a known reason stays in the list; other rules are not excused by it."""
    known = {"remake": "draws from the clock"}
    faulty = replace(report(replace(HEALTHY, remade=False)), accepted=known)
    assert faulty.unexplained == [] and [*faulty.broken] == ["remake"]
    worse = report(replace(HEALTHY, remade=False, reference_score=0.0))
    assert replace(worse, accepted=known).unexplained


@pytest.mark.parametrize(
    ("scores", "kind"),
    [([0.0, 0.0], "binary"), ([0.0, 1.0], "binary"), ([0.0, 0.01], "floor"), ([0.3], "partial")],
)
def test_the_kind_of_reward_follows_from_the_scores(scores: list[float], kind: str) -> None:
    """Scores are 0 or 1, a little for any attempt, or by degrees."""
    problem = replace(HEALTHY, wrong=tuple(Attempt("swap", "x", score) for score in scores))
    assert report(problem).reward_kind == kind
    assert report(problem, partial_constant=True).reward_kind == "partial"


def test_levels_that_work_are_listed() -> None:
    """A level without a winnable problem is not among the working levels."""
    levels = (LevelReport(None, (HEALTHY,)), LevelReport(0.5, (replace(HEALTHY, winnable=False),)))
    assert TaskReport("toy", "toys", levels).working_levels == [None]
