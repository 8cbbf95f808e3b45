"""rgenv/validation/check.py: each weakness of a verifier breaks the rule that is about it."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from rgenv.errors import MakeFailed
from rgenv.types import Inspection, Problem, Verdict
from rgenv.validation.check import Pools, TaskReport, check_task
from tests.support.pools import PoolDouble

Verifier = Callable[[str, str], float]
"""``verifier(answer, reference)`` returns the score of `answer`."""


def exact(answer: str, reference: str) -> float:
    """A healthy verifier: it takes one number, in any wrapper."""
    found = re.fullmatch(r"[^\d-]*(-?\d+)[^\d-]*", answer)
    return float(found is not None and found[1] == reference)


class RiggedPool(PoolDouble):
    """Make problems that ask for the square of seed + 11, and score answers by `verifier`."""

    def __init__(
        self,
        verifier: Verifier = exact,
        *,
        question: Callable[[int], str] = "What is the square of {}?".format,
        fails: Sequence[int] = (),
        keeps_answers: bool = True,
        accepted: Mapping[str, str] | None = None,
        own: bool = False,
    ) -> None:
        super().__init__()
        self.verifier, self.question, self.fails = verifier, question, fails
        self.keeps_answers, self.accepted = keeps_answers, accepted or {}
        self.own_tasks = {"rigged": "asks"} if own else {}

    async def make(self, task: str, seed: int, **more: Any) -> Problem:
        if seed in self.fails:
            raise MakeFailed("timeout", "no reply within 10 s")
        answer = str((seed + 11) ** 2) if self.keeps_answers else None
        source = "own:1" if self.own_tasks else ""
        return Problem(task, seed, None, {}, self.question(seed), answer, source=source)

    async def inspect(self, problem: Problem) -> Inspection:
        if "hangs" in self.accepted:
            raise MakeFailed("timeout", "no reply within 10 s")
        return Inspection({}, None, self.accepted)

    async def attempt(self, task: str, level: float | None) -> str | None:
        return None

    async def solve(self, problem: Problem) -> str | None:
        return str((problem.seed + 11) ** 2)

    async def score(self, problem: Problem, answers: Sequence[str | None]) -> list[Verdict]:
        right = str((problem.seed + 11) ** 2)
        return [Verdict(self.verifier(answer or "", right), "scored") for answer in answers]


async def checked(tested: RiggedPool, other: Verifier = exact, **more: Any) -> TaskReport:
    """Check ten problems of a rigged task; the tested pool remakes them unless another is given."""
    pools = Pools(tested, RiggedPool(other), more.get("remaking", tested))
    return await check_task("rigged", pools, levels=[None], seeds=10)


WEAK: dict[str, tuple[Verifier, list[str]]] = {
    "healthy": (exact, []),
    "partial for a prefix": (
        lambda a, right: max(exact(a, right), 0.6 * (a == f"1{right}")),
        ["wrong"],
    ),
    "accepts zero": (lambda a, right: max(exact(a, right), a == "0"), ["blind"]),
    "accepts superstrings": (lambda a, right: float(right in a), ["wrong", "junk"]),
    "accepts nan": (lambda a, right: max(exact(a, right), a == "nan"), ["junk", "blind"]),
    "never full marks": (lambda a, right: 0.9 * exact(a, right), ["oracle"]),
    "plain only": (lambda a, right: float(a == right), ["form"]),
    "any number": (lambda a, right: float(exact(a, right) or a.isdigit()), ["wrong", "blind"]),
    "a floor": (lambda a, right: max(exact(a, right), 0.01), []),
}
"""Verifiers, and the rules that they break."""


@pytest.mark.parametrize(("verifier", "rules"), WEAK.values(), ids=WEAK)
async def test_each_weakness_of_a_verifier_is_found(verifier: Verifier, rules: list[str]) -> None:
    """A weakness breaks the rules that are about it, and no others."""
    assert [*(await checked(RiggedPool(verifier))).broken] == rules


async def test_another_right_answer_is_not_wrong() -> None:
    """An answer that both verifiers give 1.0 is right, unless the task is a user's own."""

    def any_order(answer: str, right: str) -> float:
        return max(exact(answer, right), float(sorted(answer) == sorted(right)))

    assert (await checked(RiggedPool(any_order), any_order)).faults == []
    assert "wrong" in (await checked(RiggedPool(any_order), exact)).broken
    assert "wrong" in (await checked(RiggedPool(any_order, own=True), any_order)).broken


async def test_a_known_fault_is_listed_and_excused() -> None:
    accepts = RiggedPool(WEAK["partial for a prefix"][0], accepted={"wrong": "why"})
    report = await checked(accepts)
    assert report.broken == {"wrong": "why"} and report.unexplained == []


async def test_problems_that_differ_elsewhere_or_fail_are_found() -> None:
    """One failure in ten is tolerated; one other question is a fault that names its seed."""
    other = RiggedPool(question=lambda seed: "What?" if seed == 3 else f"Square {seed}?")
    report = await checked(RiggedPool(question="Square {}?".format), remaking=other)
    assert [*report.broken] == ["remake"] and "seed 3" in report.faults[0].text
    assert (await checked(RiggedPool(fails=[6]))).faults == []
    report = await checked(RiggedPool(fails=[6, 7]))
    assert [*report.broken] == ["made"] and len(report.checked) == 8
    assert "8 of 10" in report.faults[0].text and "no reply" in report.faults[0].text


async def test_problems_without_a_reference_answer_are_solved() -> None:
    without = RiggedPool(WEAK["never full marks"][0], keeps_answers=False)
    assert [*(await checked(without)).broken] == ["oracle"]


@pytest.mark.parametrize(
    ("accepted", "told"),
    [
        ({}, "`family` of its record is the same for all 10 problems"),
        ({"blindly": "why"}, "`accepted` of its record names 'blindly'"),
        ({"hangs": "why"}, "nothing can be checked: no reply within 10 s"),
    ],
)
async def test_what_is_wrong_with_a_record_is_told(accepted: dict[str, str], told: str) -> None:
    report = await checked(RiggedPool(own=True, accepted=accepted))
    [fault] = [fault for fault in report.faults if fault.rule == "record"]
    assert told in fault.text or accepted == {"hangs": "why"}
