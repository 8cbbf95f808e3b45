"""rgenv/validation/probe.py: each weakness of a verifier breaks the rule that is about it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from zlib import crc32

import pytest

from rgenv.errors import MakeFailed
from rgenv.types import Inspection, Problem, Verdict
from rgenv.validation.health import TaskReport
from rgenv.validation.probe import FIRST_LOOK, Effort, Pools, probe_task
from rgenv.worker.protocol import OWN
from tests.support.pools import PoolDouble

Verifier = Callable[[str, str], float]
"""``verifier(answer, reference)`` returns the score of `answer`."""


def exact(answer: str, reference: str) -> float:
    """A healthy verifier: 1.0 for the reference answer, 0.0 for any other."""
    return float(answer == reference)


class RiggedPool(PoolDouble):
    """Make problems that ask for the square of seed + 11, and score answers by `verifier`.

    Args:
        fails: seeds whose problems can't be made.
        shortcuts: name of a rule -> its answer to the problem of a seed.
        work: the work of a problem, by its level; None: not known.

    Attributes:
        solved: the seeds for which `solve` was called, in order.
    """

    def __init__(
        self,
        verifier: Verifier = exact,
        *,
        question: Callable[[int], str] = "What is the square of {}?".format,
        answer: Callable[[int], str] = lambda seed: str((seed + 11) ** 2),
        fails: Sequence[int] = (),
        keeps_answers: bool = True,
        shortcuts: Mapping[str, Callable[[int], str]] | None = None,
        work: Callable[[float | None], float] | None = None,
    ) -> None:
        super().__init__()
        self.verifier, self.question, self.answer = verifier, question, answer
        self.fails, self.keeps_answers = fails, keeps_answers
        self.shortcuts, self.work = shortcuts or {}, work
        self.solved: list[int] = []

    async def make(
        self,
        task: str,
        seed: int,
        *,
        level: float | None = None,
        **more: Any,
    ) -> Problem:
        if seed in self.fails:
            raise MakeFailed("timeout", "no reply within 10 s")
        answer = self.answer(seed) if self.keeps_answers else None
        return Problem(task, seed, level, more.get("config") or {}, self.question(seed), answer)

    async def write(
        self, problem: Problem, reference: str, *, wrong_by: str | None = None
    ) -> Mapping[str, str]:
        return {}

    async def inspect(self, problem: Problem, answers: Sequence[str] = ()) -> Inspection:
        by_rule = {name: rule(problem.seed) for name, rule in self.shortcuts.items()}
        work = self.work(problem.level) if self.work else None
        return Inspection(by_rule, work, [False] * len(answers))

    async def solve(self, problem: Problem) -> str | None:
        self.solved.append(problem.seed)
        return self.answer(problem.seed)

    async def score(self, problem: Problem, answers: Sequence[str | None]) -> list[Verdict]:
        """Return the verifier's scores; as in a WorkerPool, it never sees an empty answer."""
        reference = self.answer(problem.seed)
        return [
            Verdict(self.verifier(answer, reference), "scored")
            if answer
            else Verdict(0.0, "no_answer")
            for answer in answers
        ]


async def probe(
    tested: RiggedPool | Verifier = exact,
    other_verifiers: RiggedPool | Verifier = exact,
    remaking: RiggedPool | None = None,
) -> TaskReport:
    """Probe ten problems of a rigged task; the tested pool remakes them unless another is given."""
    one, two = (
        pool if isinstance(pool, RiggedPool) else RiggedPool(pool)
        for pool in (tested, other_verifiers)
    )
    pools = Pools(one, two, remaking or one)
    return await probe_task("rigged", "toys", pools, Effort(10), levels=[None])


async def test_a_healthy_task_has_no_faults() -> None:
    """A verifier that accepts only the reference answer breaks no rule."""
    report = await probe()
    assert report.faults == [] and report.reward_kind == "binary"


def never_full_marks(answer: str, reference: str) -> float:
    return 0.9 * (answer == reference)


def accepts_any_number(answer: str, reference: str) -> float:
    return float(answer.isdigit())


WEAK: dict[str, tuple[Verifier, list[str]]] = {
    "partial for a prefix": (
        lambda a, right: max(exact(a, right), 0.6 * (a == f"1{right}")),
        ["wrong"],
    ),
    "accepts zero": (lambda a, right: float(a in (right, "0")), ["blind"]),
    "accepts superstrings": (lambda a, right: float(right in a), ["wrong", "junk"]),
    "accepts nan": (lambda a, right: float(a in (right, "nan")), ["junk", "blind"]),
    "never full marks": (never_full_marks, ["oracle"]),
    "accepts any number": (accepts_any_number, ["wrong", "blind"]),
    "a floor": (lambda a, right: max(exact(a, right), 0.01), []),
}
"""Verifiers, and the rules that they break."""


@pytest.mark.parametrize(("verifier", "rules"), WEAK.values(), ids=WEAK)
async def test_each_weakness_of_a_verifier_is_found(verifier: Verifier, rules: list[str]) -> None:
    """A weakness breaks the rules that are about it, and no others."""
    assert [*(await probe(verifier)).broken] == rules


async def test_a_weakness_that_both_verifiers_share_is_found() -> None:
    """Two verifiers may both accept a changed answer, but not other problems' answers each time."""
    assert "wrong" in (await probe(accepts_any_number, accepts_any_number)).broken


@pytest.mark.parametrize("form", range(7))
async def test_a_wrong_answer_in_any_form_is_scored(form: int) -> None:
    """Each problem has a third of them, and together they have all."""

    class Writing(RiggedPool):
        async def write(
            self, problem: Problem, reference: str, *, wrong_by: str | None = None
        ) -> Mapping[str, str]:
            return {str(n): f"{reference} in form {n}" for n in range(7)} if wrong_by else {}

    def accepts_one_form(answer: str, reference: str) -> float:
        return float(answer in (reference, f"{reference} in form {form}"))

    assert "wrong" in (await probe(Writing(accepts_one_form))).broken


async def test_another_right_answer_is_not_wrong() -> None:
    """An answer that both verifiers give 1.0 is right; here the digits may have any order."""

    def accepts_any_order(answer: str, reference: str) -> float:
        return float(sorted(answer) == sorted(reference))

    report = await probe(accepts_any_order, accepts_any_order)
    right = [attempt.right for problem in report.problems for attempt in problem.wrong]
    assert report.faults == [] and any(right)
    assert "wrong" in (await probe(accepts_any_order, exact)).broken


async def test_a_constant_that_is_right_in_other_words_is_no_fault() -> None:
    """Problems for which both verifiers accept a constant count towards its share."""

    def words(seed: int) -> str:
        return f"{seed} of 5"

    def accepts_first_word(answer: str, reference: str) -> float:
        solved_by_0 = reference in ("0 of 5", "1 of 5", "2 of 5")
        return float(answer == reference or (answer == "0" and solved_by_0))

    pools = [RiggedPool(accepts_first_word, answer=words) for _ in range(2)]
    assert (await probe(*pools)).levels[0].constant is not None
    assert "blind" not in (await probe(*pools)).broken
    assert "blind" in (await probe(pools[0], RiggedPool(exact, answer=words))).broken


async def test_a_question_that_differs_elsewhere_is_found() -> None:
    """Every problem is remade, and one other question is a fault that names its seed."""
    other = RiggedPool(question=lambda seed: "What?" if seed == 3 else f"Square {seed}?")
    report = await probe(RiggedPool(question="Square {}?".format), remaking=other)
    assert [*report.broken] == ["remake"] and "seed 3" in str(report.faults[0])


async def test_problems_that_cannot_be_made_are_counted() -> None:
    """One failure in ten is tolerated, two are a fault, and the other problems are measured."""
    assert (await probe(RiggedPool(fails=[1]))).faults == []
    report = await probe(RiggedPool(fails=[1, 2]))
    assert [*report.broken] == ["made"] and len(report.problems) == 8
    assert "8 of 10" in str(report.faults[0]) and "no reply" in str(report.faults[0])


async def test_problems_without_a_reference_answer_are_solved() -> None:
    """The pool is asked for an answer only if a problem has none, and that answer is scored."""
    without = RiggedPool(never_full_marks, keeps_answers=False)
    assert [*(await probe(without)).broken] == ["oracle"] and without.solved == list(range(10))
    complete = RiggedPool()
    await probe(complete)
    assert complete.solved == []


async def probe_levels(tested: RiggedPool, **options: int) -> TaskReport:
    """Probe forty problems at each of three levels."""
    pools = Pools(tested, RiggedPool(), tested)
    return await probe_task("rigged", "toys", pools, Effort(40, **options), levels=[0.0, 0.5, 1.0])


async def test_a_rule_that_solves_without_thought_is_found() -> None:
    """A shortcut is a fault if it solves more than the most frequent answer does."""
    copying = RiggedPool(shortcuts={"copy": lambda seed: str((seed + 11) ** 2), "zero": str})
    [fault, *_] = (await probe_levels(copying)).faults
    assert fault.rule == "shortcut" and "copy solves 1.00" in fault.text


async def test_a_frequent_answer_is_found() -> None:
    """No reference answer may be that of most problems."""
    report = await probe_levels(RiggedPool(answer=lambda seed: str(seed * (seed % 7 == 0))))
    assert "constant" in report.broken
    assert report.levels[0].top_answer is not None and report.levels[0].top_answer.name == "0"


async def test_work_that_does_not_rise_is_found() -> None:
    assert "work" in (await probe_levels(RiggedPool(work=lambda level: 3.0))).broken
    assert "work" in (await probe_levels(RiggedPool(work=lambda level: -(level or 0)))).broken
    rising = await probe_levels(RiggedPool(work=lambda level: level or 0.0))
    assert "work" not in rising.broken


async def test_a_surface_that_gives_the_answer_away_is_found() -> None:
    """Further problems are drawn, and programs are fitted to all of them."""
    given_away = RiggedPool(
        question=lambda seed: f"Is {seed} {'really ' * (seed % 2)}odd?",
        answer=lambda seed: str(bool(seed % 2)),
    )
    report = await probe_levels(given_away, drawn=120)
    assert "shortcut" in report.broken and report.levels[0].beyond > 0.4
    shortcut = report.levels[0].shortcut
    assert shortcut is not None and shortcut.kind == "table" and shortcut.solved.total == 120
    only_rules = await probe_levels(given_away, drawn=120, fitted=False)
    assert "shortcut" not in only_rules.broken
    hidden = RiggedPool(
        question=lambda seed: f"Is {(seed * 7919) % 100_003} lucky?",
        answer=lambda seed: str(bool(((seed * 7919) % 100_003) // 8 % 2)),
    )
    assert "shortcut" not in (await probe_levels(hidden, drawn=120)).broken


async def test_more_problems_are_drawn_where_a_program_is_promising() -> None:
    """Elsewhere a first look is enough."""
    hidden = RiggedPool(answer=lambda seed: str(crc32(str(seed).encode())))
    report = await probe_levels(hidden, drawn=120)
    assert {one.solved.total for at in report.levels for one in at.programs} == {FIRST_LOOK}


class OwnTask(RiggedPool):
    """A pool whose task is the user's own; its trial finds a fault at level 1."""

    async def attempt(self, task: str, level: float | None) -> str | None:
        return "`family` of its record fails: KeyError: 'x'" if level == 1.0 else None

    async def inspect(self, problem: Problem, answers: Sequence[str] = ()) -> Inspection:
        found = await super().inspect(problem, answers)
        return replace(found, accepted={"blindly": "why"} if problem.level == 0.5 else {})


class Signed(OwnTask):
    """An own task whose answers are 37 numbers around 0, or seven words."""

    def __init__(self, verifier: Verifier, words: Sequence[str] = ()) -> None:
        def answer(seed: int) -> str:
            return words[seed % len(words)] if words else str((seed + 11) ** 2 % 37 * 13 - 150)

        super().__init__(verifier, answer=answer)

    async def make(self, task: str, seed: int, **more: Any) -> Problem:
        return replace(await super().make(task, seed, **more), source="own:1", family=seed)


def within(share: float, least: float = 0.0) -> Verifier:
    def verify(answer: str, right: str) -> float:
        try:
            return float(abs(int(answer) - int(right)) <= max(least, share * abs(int(right))))
        except ValueError:
            return 0.0

    return verify


DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
CARELESS: dict[str, tuple[Verifier, Sequence[str]]] = {
    "sign": (lambda a, right: float(a.lstrip("-") == right.lstrip("-")), ()),
    "one beside": (within(0.0, 1.0), ()),
    "tolerance": (within(0.1), ()),
    "prefix": (lambda a, right: float(right.startswith(a)), ()),
    "last digit": (lambda a, right: float(a[-1] == right[-1]), ()),
    "digits in any order": (lambda a, right: float(sorted(a) == sorted(right)), ()),
    "any number of times": (lambda a, right: float(not a.replace(right, "")), ()),
    "first letter": (lambda a, right: float(a[0] == right[0]), DAYS),
    "a part": (lambda a, right: float(a in right), DAYS),
    "case": (lambda a, right: float(a.lower() == right.lower()), ("aBc", "ABc", "abC", "aBCd")),
}
CAREFUL: dict[str, tuple[Verifier, Sequence[str]]] = {
    "exact": (exact, ()),
    "by value": (within(0.0), ()),
    "in any case": (lambda a, right: float(a.lower() == right.lower()), DAYS),
}


@pytest.mark.parametrize("name", [*CARELESS, *CAREFUL])
async def test_a_wrong_verifier_of_an_own_task_pardons_nothing(name: str) -> None:
    """It would be the other verifier, too, so it says nothing of what it pays itself."""
    pool = Signed(*(CARELESS | CAREFUL)[name])
    report = await probe_task("mine", OWN, Pools(pool, pool, pool), Effort(10), levels=[None])
    assert ("wrong" in report.broken) == (name in CARELESS)
    assert name in CARELESS or report.faults == []


async def test_what_is_wrong_with_a_record_is_told() -> None:
    """Of each level: what its trial finds, an unknown rule, a verifier that fails, one family."""
    pools = Pools(OwnTask(), RiggedPool(), OwnTask())
    report = await probe_task("mine", OWN, pools, Effort(10), levels=[None, 0.5, 1.0])
    told = {fault.level: fault.text for fault in report.faults if fault.rule == "record"}
    assert "`family` of its record is the same for all 10 problems" in told[None]
    assert "`accepted` of its record names 'blindly'" in told[0.5]
    assert told[1.0] == "`family` of its record fails: KeyError: 'x'"


async def test_a_record_whose_functions_hang_is_told_from_others() -> None:
    """What can't be measured is a fault of the level, and the next level is measured."""

    class Hanging(RiggedPool):
        async def inspect(self, problem: Problem, answers: Sequence[str] = ()) -> Inspection:
            if problem.level is None:
                raise MakeFailed("timeout", "no reply within 10 s")
            return await super().inspect(problem, answers)

    pools = Pools(Hanging(), RiggedPool(), RiggedPool())
    report = await probe_task("mine", "toys", pools, Effort(4), levels=[None, 0.5])
    assert [(fault.rule, fault.level) for fault in report.faults] == [("record", None)]
    assert "no reply" in str(report.faults[0]) and report.levels[1].constant is not None
