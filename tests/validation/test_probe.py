"""rgenv/validation/probe.py: what is thought up is what it says, and each sick verifier is found out."""

import asyncio
from typing import Any

import pytest

from rgenv.pool.pool import WorkerPool
from rgenv.types import Problem
from rgenv.validation.health import TaskReport, close, same
from rgenv.validation.probe import (
    LITERALS,
    MOST,
    Judges,
    blind_candidates,
    junk_answers,
    probe_task,
    wrong_answers,
)
from tests.support.rigged import RiggedPool, Verifier, exact


async def probe(
    first: RiggedPool | Verifier = exact,
    second: RiggedPool | Verifier = exact,
    elsewhere: RiggedPool | None = None,
) -> TaskReport:
    """The report on a rigged task; `elsewhere` makes what the first makes, if not told better."""
    one, two = (
        pool if isinstance(pool, RiggedPool) else RiggedPool(pool) for pool in (first, second)
    )
    judges = Judges(one, two, elsewhere or one)
    return await probe_task("rigged", "toys", judges, levels=[None], seeds=range(10))


async def test_a_healthy_task_has_no_faults() -> None:
    """A verifier that pays for the right answer alone breaks no rule."""
    report = await probe()
    assert report.faults == [] and report.kind == "binary"
    assert (report.question, report.answer) == ("What is the square of 0?", "121")


def a_floor(answer: str, right: str) -> float:
    return 1.0 if answer == right else 0.01


def prefixes(answer: str, right: str) -> float:
    return 1.0 if answer == right else 0.6 * answer.startswith("1" + right)


def blind(answer: str, right: str) -> float:
    return float(answer in (right, "0"))


def contains(answer: str, right: str) -> float:
    return float(right in answer)


def not_a_number(answer: str, right: str) -> float:
    return float(answer in (right, "nan"))


def stingy(answer: str, right: str) -> float:
    return 0.9 * (answer == right)


def anything(answer: str, right: str) -> float:
    return float(answer.isdigit())


@pytest.mark.parametrize(
    ("verifier", "rules"),
    [
        (prefixes, ["wrong"]),
        (blind, ["blind"]),
        (contains, ["wrong", "junk"]),
        (not_a_number, ["junk", "blind"]),
        (stingy, ["oracle"]),
        (anything, ["wrong", "blind"]),
        (a_floor, []),
    ],
)
async def test_each_way_to_be_fooled_is_found(verifier: Verifier, rules: list[str]) -> None:
    """The rules that break are those that the verifier's weakness is about, and no others."""
    assert (await probe(verifier)).broken == rules


async def test_a_verifier_that_both_judges_trust_is_found_by_its_neighbours() -> None:
    """Fooled alike, two judges excuse one mutation, but not other items' answers on every item."""
    assert "wrong" in (await probe(anything, anything)).broken


async def test_another_right_answer_is_not_wrong() -> None:
    """What both verifiers give full marks is taken for right: here the order of digits is free."""

    def in_any_order(answer: str, right: str) -> float:
        return float(sorted(answer) == sorted(right))

    report = await probe(in_any_order, in_any_order)
    assert report.faults == [] and any(t.right for item in report.items for t in item.wrong)
    assert "wrong" in (await probe(in_any_order, exact)).broken


async def test_a_constant_that_is_right_in_other_words_is_no_fault() -> None:
    """Items that a constant solves count for its share, though their own answer reads otherwise."""

    def names(seed: int) -> str:
        return f"{seed} of 5"

    def the_first_word(answer: str, right: str) -> float:
        return float(answer == right or (answer == "0" and right in ("0 of 5", "1 of 5", "2 of 5")))

    pools = [RiggedPool(the_first_word, answer=names) for _ in range(2)]
    assert (await probe(*pools)).constant is not None
    assert "blind" not in (await probe(*pools)).broken
    assert "blind" in (await probe(pools[0], RiggedPool(exact, answer=names))).broken


async def test_a_prompt_that_is_not_the_same_elsewhere_is_found() -> None:
    """The second judge remakes every recipe; one other prompt is one too many."""
    other = RiggedPool(question=lambda seed: "What?" if seed == 3 else f"Square {seed}?")
    report = await probe(RiggedPool(question="Square {}?".format), elsewhere=other)
    assert report.broken == ["remake"] and "seed 3" in str(report.faults[0])


async def test_a_label_that_is_not_the_same_elsewhere_is_found() -> None:
    """The same prompt with another answer is another problem."""
    other = RiggedPool(answer=lambda seed: "7" if seed == 3 else str((seed + 11) ** 2))
    assert (await probe(elsewhere=other)).broken == ["remake"]


async def test_a_recipe_that_fails_elsewhere_is_found() -> None:
    """No prompt at all is another prompt."""
    assert (await probe(elsewhere=RiggedPool(fails=[2]))).broken == ["remake"]


async def test_items_that_cannot_be_made_are_counted() -> None:
    """One of ten is passed over, two are a fault, and the rest is measured all the same."""
    assert (await probe(RiggedPool(fails=[1]))).faults == []
    report = await probe(RiggedPool(fails=[1, 2]))
    assert report.broken == ["made"] and len(report.items) == 8
    assert "8 of 10" in str(report.faults[0]) and "no reply" in str(report.faults[0])


async def test_a_task_that_never_comes_into_being_is_reported() -> None:
    """Without a single item there is a report that says so, not an error."""
    report = await probe(RiggedPool(fails=range(10)))
    assert report.broken == ["made"] and report.constant is None and report.characters_by_4 == 0


async def test_items_that_cannot_be_won_are_left_out() -> None:
    """Their right answers earn nothing, which is no news."""
    report = await probe(RiggedPool(lambda a, r: float(a == r != "121"), lost=[0]))
    assert report.faults == [] and report.items[0].oracle_score is None


async def test_a_right_answer_is_looked_for_only_where_there_is_none() -> None:
    """The solver is asked when the problem comes without an answer, and what it says is scored."""
    silent = RiggedPool(stingy, keeps_answers=False)
    assert (await probe(silent)).broken == ["oracle"] and silent.solved == list(range(10))
    talking = RiggedPool()
    await probe(talking)
    assert talking.solved == []


async def test_nothing_goes_on_when_nobody_waits() -> None:
    """Cancelled between two items, it leaves no task behind that would fail unheard."""

    class Stuck(RiggedPool):
        async def make(self, task: str, seed: int, **more: Any) -> Problem:
            if seed > 1 or self.stuck:
                await asyncio.sleep(60)
            return await super().make(task, seed, **more)

        stuck = False

    first, second = Stuck(), Stuck()
    second.stuck = True
    before = asyncio.all_tasks()
    probing = asyncio.create_task(
        probe_task("rigged", "toys", Judges(first, second, second), levels=[None], seeds=range(3))
    )
    await asyncio.sleep(0.05)
    assert len(asyncio.all_tasks() - before) > 1
    probing.cancel()
    await asyncio.gather(probing, return_exceptions=True)
    await asyncio.sleep(0.05)
    assert asyncio.all_tasks() <= before


async def test_every_item_is_ticked_off() -> None:
    """Progress counts made and failed items of all levels."""
    ticks: list[None] = []
    judges = Judges(RiggedPool(fails=[0]), RiggedPool(), RiggedPool())
    await probe_task(
        "rigged",
        "toys",
        judges,
        levels=[None, 0.5],
        seeds=range(3),
        tick=lambda: ticks.append(None),
    )
    assert len(ticks) == 6


@pytest.mark.parametrize(
    ("oracle", "kinds"),
    [
        ("127", {"other": "52", "digit": "227", "prefix": "1127", "swap": "217", "drop": "12"}),
        ("-4", {"other": "52", "digit": "-5", "prefix": "-14", "swap": "4-", "drop": "-"}),
        ("yes", {"other": "52", "swap": "eys", "drop": "ye"}),
        ("B+1 A+4", {"other": "52", "digit": "B+2 A+4", "swap": "A+4 B+1", "drop": "B+1"}),
        ("b, b, c", {"other": "52", "swap": "b, c, b", "drop": "b, b"}),
    ],
)
def test_wrong_answers_have_the_shape_of_the_right_one(oracle: str, kinds: dict[str, str]) -> None:
    """Each kind does to the answer what its name says."""
    assert dict(wrong_answers(oracle, [oracle, "52"])) == kinds


@pytest.mark.parametrize(
    "oracle", ["-0.9531", "", "7", "aa", "1 1", "0.5", "[1, 1]", "Ab aB", "\n"]
)
def test_no_wrong_answer_says_what_the_right_one_says(oracle: str) -> None:
    """Mutations that change nothing but spelling, and empty ones, are left out."""
    for _, text in wrong_answers(oracle, [oracle, oracle.upper(), f" {oracle} ", ""]):
        assert text.strip() and not same(text, oracle) and not close(text, oracle)


def test_junk_is_never_the_right_answer() -> None:
    """Where None or nan is the answer, it is no junk; all labels are only there if they differ."""
    kinds = [kind for kind, _ in junk_answers("Which?", "none", ["none", "none"])]
    assert "None" not in kinds and "all labels" not in kinds and "nan" in kinds
    assert ("all labels", "b\na\nc") in list(junk_answers("Which?", "a", ["a", "b", "a", "c"]))
    assert ("all labels", "b, c") in list(junk_answers("Which?", None, ["b", "c"]))


def test_constants_come_from_labels_and_their_pieces() -> None:
    """Frequent labels, lines, words, numbers, characters, labels blanked out, and literals."""
    found = blind_candidates(["go 12\nwest", "go 7", "go 7"])
    assert {"go 7", "west", "go", "12", "g", "go 0", "True"} <= set(found)
    assert found[: len(LITERALS)] == list(LITERALS) and len(found) == len(set(found))


def test_constants_are_few_and_always_the_same() -> None:
    """Whatever the labels are, their number is bounded and their order lasts."""
    labels = [f"{n} {n * n} word{n}\n{n % 7}" for n in range(500)]
    assert len(blind_candidates(labels)) <= len(LITERALS) + sum(MOST.values())
    assert blind_candidates(labels) == blind_candidates(labels)


async def test_real_tasks_go_through(pool: WorkerPool) -> None:
    """An exact task is healthy, a mixed one is measured, and both remake in real workers."""
    judges = Judges(pool, pool, pool)
    report = await probe_task("dice", "arithmetic", judges, levels=[None, 0.5], seeds=range(4))
    assert report.faults == [] and report.working_levels == [None, 0.5]
    assert all(item.oracle_score == 1.0 for item in report.items)


async def test_the_better_of_two_constants_wins(pool: WorkerPool) -> None:
    """On yes-or-no questions the best constant earns its label's share and no more."""
    judges = Judges(pool, pool, pool)
    report = await probe_task("circuit_logic", "logic", judges, levels=[None], seeds=range(10))
    assert report.constant is not None and report.constant.answer in ("0", "1")
    assert report.constant.excess == pytest.approx(0) and report.constant.mean >= 0.5
