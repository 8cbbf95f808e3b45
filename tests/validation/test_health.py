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


@pytest.mark.parametrize(
    ("means", "expected"),
    [
        ((1.0, 2.0, 3.0), []),
        ((1.0, 1.9, 1.5), []),  # not beyond its error
        ((1.0, 3.0, 2.0), ["work does not rise: 3 at level 0.5, 2"]),
        ((2.0, 2.3, 2.0), ["work does not rise: 2 at level 0, 2"]),
    ],
)
def test_work_rises_from_level_to_level(means: tuple[float, ...], expected: list[str]) -> None:
    works = dict(zip((0.0, 0.5, 1.0), means, strict=True))
    levels = [LevelReport(one, (HEALTHY,), work=Work(mean, 0.2)) for one, mean in works.items()]
    assert [fault.text for fault in TaskReport("toy", "toys", tuple(levels)).faults] == expected


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
