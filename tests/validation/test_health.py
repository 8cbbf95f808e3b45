"""rgenv/validation/health.py: numbers in, health out; each rule has a line on its two sides."""

from dataclasses import replace

import pytest

from rgenv.validation import health
from rgenv.validation.health import (
    Constant,
    Item,
    LevelReport,
    TaskReport,
    Try,
    close,
    constants_of,
    quoted,
    same,
)

WELL = Item(
    seed=3,
    question_chars=40,
    make_seconds=0.01,
    remade=True,
    oracle="12",
    oracle_score=1.0,
    score_seconds=0.01,
    wrong=(Try("other", "13", 0.0),),
    junk=(Try("nan", "nan", 0.0),),
)


def report(*items: Item, **level: object) -> TaskReport:
    """A task with these items at its defaults."""
    return TaskReport("toy", "toys", (LevelReport(None, items or (WELL,), **level),))


def broken(*items: Item, **level: object) -> list[str]:
    return list(report(*items, **level).broken)


def test_a_healthy_task_breaks_nothing() -> None:
    """Right 1.0, wrong and junk 0.0, remade, no constant: healthy."""
    assert broken() == [] and report().healthy


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"oracle_score": 1.0}, None),
        ({"oracle_score": 0.999}, "oracle"),
        ({"oracle": None, "oracle_score": None}, None),
        ({"wrong": (Try("swap", "21", 0.49),)}, None),
        ({"wrong": (Try("swap", "21", 0.5),)}, "wrong"),
        ({"oracle": "1 2", "wrong": (Try("swap", "2 1", 0.49),)}, None),
        ({"oracle": "1 2", "wrong": (Try("swap", "2 1", 0.5),)}, "near"),
        ({"oracle": "1 2", "wrong": (Try("swap", "2 1", 1.0),)}, "wrong"),
        ({"oracle": "1 2", "wrong": (Try("other", "3 1", 0.5),)}, "wrong"),
        ({"wrong": (Try("swap", "21", 1.0, right=True),)}, None),
        ({"junk": (Try("echo", "?", 0.05),)}, None),
        ({"junk": (Try("echo", "?", 0.06),)}, "junk"),
        ({"remade": False}, "remake"),
        ({"winnable": False}, "made"),
    ],
)
def test_each_rule_has_two_sides(change: dict[str, object], rule: str | None) -> None:
    """Just inside its limit an item is well, just outside exactly one rule breaks."""
    assert broken(replace(WELL, **change)) == ([rule] if rule else [])


@pytest.mark.parametrize(("mean", "expected"), [(0.52, []), (0.53, ["blind"]), (0.1, [])])
def test_a_constant_may_earn_its_share(mean: float, expected: list[str]) -> None:
    """Two hundredths beyond the share of items it is right for, and no more."""
    assert broken(constant=Constant("yes", mean, 0.5)) == expected


def test_one_failure_in_ten_is_passed_over() -> None:
    """The stream makes another item; a level that fails more often does not work."""
    assert broken(*[WELL] * 9, failed=("seed 1: timeout",)) == []
    assert broken(*[WELL] * 8, failed=("seed 1: timeout",) * 2) == ["made"]


@pytest.mark.parametrize(("kind", "expected"), [("other", ["wrong"]), ("swap", [])])
def test_what_is_right_for_most_items_is_suspicious(kind: str, expected: list[str]) -> None:
    """Another item's answer can't be right each time; the order of parts can be free."""
    item = replace(WELL, wrong=(Try(kind, "21", 1.0, right=True),))
    assert broken(*[item] * 3) == expected
    assert broken(*[item] * 3, *[WELL] * 9) == []


def test_a_fault_names_the_worst_case() -> None:
    """The text has the level, how many, the score and the seed that shows it."""
    low = replace(WELL, oracle_score=0.2, seed=8)
    lower = replace(WELL, oracle_score=0.1, seed=9)
    [fault] = report(low, WELL, lower).faults
    assert str(fault) == (
        "oracle: the right answer of 2 of 3 items earns less than 1.0 (0.10 for seed 9) "
        "at the defaults"
    )


def test_a_known_fault_is_told_and_forgiven(monkeypatch: pytest.MonkeyPatch) -> None:
    """It stays in the list of faults; only the rule that has a reason is excused."""
    sick = report(replace(WELL, remade=False))
    monkeypatch.setattr(health, "KNOWN", {"toy": {"remake": "draws from the clock"}})
    assert sick.healthy and sick.broken == ["remake"]
    assert not report(replace(WELL, remade=False, oracle_score=0.0)).healthy


def test_every_known_fault_is_of_a_real_task_and_has_a_reason() -> None:
    """The table names tasks that exist and rules that exist."""
    from rgenv.tasks import KNOWN_TASKS

    for task, rules in health.KNOWN.items():
        assert task in KNOWN_TASKS and rules
        assert all(len(reason) > 20 for reason in rules.values())


@pytest.mark.parametrize(
    ("scores", "kind"),
    [([0.0, 0.0], "binary"), ([0.0, 1.0], "binary"), ([0.0, 0.01], "floor"), ([0.3], "partial")],
)
def test_the_kind_of_reward_is_what_was_seen(scores: list[float], kind: str) -> None:
    """All or nothing, a little for any attempt, or by degrees."""
    item = replace(WELL, wrong=tuple(Try("swap", "x", score) for score in scores))
    assert report(item).kind == kind
    assert report(item, between=True).kind == "partial"


def test_levels_that_work_are_listed() -> None:
    """A level without an item that can be won does not."""
    levels = (LevelReport(None, (WELL,)), LevelReport(0.5, (replace(WELL, winnable=False),)))
    assert TaskReport("toy", "toys", levels).working_levels == [None]


def test_the_worst_constant_of_all_levels_counts() -> None:
    """One level at which a blind answer pays is enough."""
    levels = [LevelReport(x, (WELL,), constant=Constant(str(x), x, 0.4)) for x in (0.5, 0.9, 0.1)]
    worst = TaskReport("toy", "toys", tuple(levels)).constant
    assert worst is not None and worst.answer == "0.9" and worst.excess == pytest.approx(0.5)


def test_a_constants_share_is_its_own_or_the_commonest_labels() -> None:
    """Guessing the commonest label is no cheat, so what it earns is the measure."""
    oracles = ["yes", "yes", "no", None]
    table = [[1.0, 0.9], [1.0, 0.9], [0.0, 0.9], [0.0, 0.9]]
    cheat, honest = constants_of(["Yes", "maybe"], table, oracles)
    assert (cheat.answer, cheat.mean, cheat.share) == ("maybe", pytest.approx(0.9), 0.5)
    assert (honest.answer, honest.excess) == ("Yes", 0.0)
    assert constants_of(["Yes"], [], []) == []


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("Yes", " yes ", True),
        ("a  b", "A b", True),
        ("0.50", "1/2", True),
        ("+7", "7.0", True),
        ("1/0", "1/0", True),
        ("1/0", "2/0", False),
        ("-7", "7", False),
        ("ab", "ba", False),
        ("", "0", False),
        ("9" * 5000, "9" * 4999, False),
    ],
)
def test_answers_are_the_same_however_they_are_written(
    first: str, second: str, expected: bool
) -> None:
    """Case, spaces and the way to write a number do not matter, everything else does."""
    assert same(first, second) is expected


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [("0.953", "0.9531", True), ("-1", "1", False), ("0", "0.001", False), ("a", "a", False)],
)
def test_numbers_may_round_to_each_other(first: str, second: str, expected: bool) -> None:
    """A hundredth is a matter of rounding; texts are not close, they are the same or not."""
    assert close(first, second) is expected


def test_long_texts_are_cut_for_a_line() -> None:
    """One line, quoted, of bounded length."""
    assert quoted("ab") == "'ab'"
    assert len(quoted("x\n" * 500, 40)) <= 40 and "\n" not in quoted("x\n" * 500)
