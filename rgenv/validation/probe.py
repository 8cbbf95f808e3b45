"""Measure one task: make problems, generate answers to them, and have them scored.

::

    pools = Pools(tested, other_verifiers, remaking)
    report = await probe_task("gcd", "arithmetic", pools, levels=[None, 0.5], seeds=12)
    report.unexplained

A changed reference answer can be right as well. Wrong answers that earn half or more are therefore
scored a second time by the other verifiers (the library's if ours are tested, else ours). An answer
that both give 1.0 does not count as wrong.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from rgenv.catalog.token_estimate import prompt_tokens
from rgenv.errors import MakeFailed
from rgenv.pool.pool import WorkerPool
from rgenv.types import SOLVED, Problem, Verdict
from rgenv.validation.answers import (
    constant_answers,
    equal_but_for_zeros,
    junk_answers,
    same_answer,
    wrong_answers,
)
from rgenv.validation.health import (
    FLOOR,
    FULL_MARKS,
    RULES,
    WRONG_LIMIT,
    Attempt,
    LevelReport,
    ProblemReport,
    TaskReport,
)
from rgenv.validation.measures import Constant, Share, Work, constants_by_excess
from rgenv.validation.programs import Program, Sample, programs
from rgenv.worker.protocol import OWN

SUSPECTS = 3
"""The number of constants of a level that the other verifiers score, too."""
REMADE = 6
"""The number of problems of a level that another worker makes again."""
FIRST_DRAWN_SEED = 1_000_000
"""Seeds of the problems on which cheap programs are measured only."""
FIRST_LOOK = 60
"""Programs are measured on so many problems first, and on more if one of them solves much there."""
PROMISING = 0.1
"""How many more problems it then solves than the most frequent answer."""
MAX_DRAW_SECONDS = 1.5
"""Drawing these for one look takes at most about this long; of slow tasks, fewer are drawn."""


@dataclass(frozen=True)
class Pools:
    """The three pools that a probe uses.

    Attributes:
        tested: the pool whose problems and verifiers are checked.
        other_verifiers: a pool with the library's verifiers if `tested` has ours, and vice versa.
        remaking: a pool of other processes, which should make the same problems as `tested`.
    """

    tested: WorkerPool
    other_verifiers: WorkerPool
    remaking: WorkerPool


@dataclass(frozen=True)
class Effort:
    """How much is measured at each level.

    Attributes:
        seeds: problems of which everything is measured.
        problems: problems on which cheap programs are measured, these included.
        fitted: whether to measure programs that are fitted, which needs scikit-learn.
    """

    seeds: int
    problems: int = 0
    fitted: bool = True


@dataclass(frozen=True)
class _Measured:
    """A problem, and what was measured of it if it can be won.

    Attributes:
        constants: the scores of the constants of its level.
        forms, accepted: its reference answer in other forms, and whether they are accepted.
        may_break: the rules that its task may break, and why.
        failure: how the verifier failed with one of the answers; empty if it did not.
    """

    problem: Problem
    report: ProblemReport
    constants: Sequence[float] = ()
    forms: Mapping[str, str] = field(default_factory=dict)
    accepted: Mapping[str, bool] = field(default_factory=dict)
    sample: Sample | None = None
    work: float | None = None
    may_break: Mapping[str, str] = field(default_factory=dict)
    failure: str = ""


async def probe_task(
    task: str,
    category: str,
    pools: Pools,
    effort: Effort,
    *,
    levels: Sequence[float | None],
    advance: Callable[[], None] = lambda: None,
) -> TaskReport:
    """Measure one task at `levels`.

    Args:
        advance: called once for each level.

    Raises:
        PoolBroken: a pool can't replace its workers any more.
    """
    reports: list[LevelReport] = []
    example: _Measured | None = None
    accepted: Mapping[str, str] = {}
    for level in levels:
        made, failed = await _make_all(task, level, pools, effort.seeds)
        measured = await _measure_all(made, pools)
        report = await _level_report(task, level, pools, measured, failed, effort)
        if category == OWN:
            report = replace(report, record=await _record_fault(task, level, pools, measured))
        reports.append(report)
        example = example or next(iter(measured), None)
        accepted = next((one.may_break for one in measured if one.sample), accepted)
        advance()
    if example is None:
        return TaskReport(task, category, tuple(reports))
    return TaskReport(
        task,
        category,
        tuple(reports),
        example.problem.question,
        example.report.reference,
        example.problem.clarification,
        accepted=accepted,
    )


async def _make_all(
    task: str, level: float | None, pools: Pools, seeds: int
) -> tuple[list[_Measured], list[str]]:
    """Return the problems of a level, and the reasons why others could not be made."""
    background: list[asyncio.Task[_Measured]] = []
    failed: list[str] = []
    try:
        for seed in range(seeds):
            began = time.perf_counter()
            try:
                problem = await pools.tested.make(task, seed, level=level, select=True)
            except MakeFailed as error:
                failed.append(f"seed {seed}: {error}")
                continue
            seconds = time.perf_counter() - began
            # In the background, while the next problem is made.
            background.append(asyncio.create_task(_remake_and_solve(problem, seconds, pools)))
        return await asyncio.gather(*background), failed
    finally:
        for work in background:
            work.cancel()


async def _remake_and_solve(problem: Problem, seconds: float, pools: Pools) -> _Measured:
    remade, reference = await asyncio.gather(
        _is_remade(problem, pools.remaking), _reference_answer(problem, pools.tested)
    )
    tokens = prompt_tokens(problem.messages)
    return _Measured(
        problem,
        ProblemReport(problem.seed, tokens, seconds, remade, problem.winnable, reference),
    )


async def _is_remade(problem: Problem, pool: WorkerPool) -> bool:
    """Return whether `pool` makes the same question and answer from the recipe, if it is asked."""
    if problem.seed >= REMADE:
        return True
    try:
        remade = await pool.make(**problem.recipe)
    except MakeFailed:
        return False
    return (remade.question, remade.answer) == (problem.question, problem.answer)


async def _reference_answer(problem: Problem, pool: WorkerPool) -> str | None:
    if problem.answer is not None:
        return problem.answer
    try:
        return await pool.solve(problem)
    except MakeFailed:  # the search took too long, so no answer is known
        return None


async def _measure_all(made: Sequence[_Measured], pools: Pools) -> list[_Measured]:
    """Measure the problems of a level that can be won."""
    winnable = [one.report for one in made if one.problem.winnable]
    references = [report.reference for report in winnable if report.reference is not None]
    constants = constant_answers(references)
    return [
        await _measure(one, pools, references, constants) if one.problem.winnable else one
        for one in made
    ]


async def _measure(
    one: _Measured, pools: Pools, references: Sequence[str], constants: Sequence[str]
) -> _Measured:
    """Have all answers to a problem scored: right, wrong and junk, constants, and of its rules."""
    problem, reference = one.problem, one.report.reference
    known = await pools.tested.inspect(problem)
    right: dict[str, str] = {}
    wrong: list[tuple[str, str]] = []
    if reference is not None:
        right = {"": reference, **await pools.tested.write(problem, reference)}
        by = f"{problem.task} {problem.seed}"
        wrong += wrong_answers(reference, references)
        wrong += (await pools.tested.write(problem, reference, wrong_by=by)).items()
    junk = list(junk_answers(problem.question, reference, references))
    groups = (
        [*right.values()],
        [answer for _, answer in wrong],
        [answer for _, answer in junk],
        constants,
        [*known.shortcuts.values()],
    )
    answers = [answer for group in groups for answer in group]
    began = time.perf_counter()
    verdicts = await pools.tested.score(problem, answers)
    seconds = time.perf_counter() - began
    rest = iter(verdicts)
    of_right, of_wrong, of_junk, of_constants, of_rules = (
        [next(rest) for _ in group] for group in groups
    )
    attempts = _attempts(wrong, of_wrong)
    solved = dict(zip(right, (verdict.score >= SOLVED for verdict in of_right), strict=True))
    # The pool rejects an empty answer without asking the verifier.
    reference_score = of_right[0].score if reference else None if reference is None else 1.0
    return replace(
        one,
        report=replace(
            one.report,
            reference_score=reference_score,
            score_seconds=seconds / len(answers),
            wrong=tuple(await _mark_right(problem, reference, pools, attempts)),
            junk=tuple(_attempts(junk, of_junk)),
        ),
        constants=[verdict.score for verdict in of_constants],
        forms={name: text for name, text in right.items() if name},
        accepted={name: accepted for name, accepted in solved.items() if name},
        sample=_sample(problem, known.shortcuts, of_rules),
        work=known.work,
        may_break=known.accepted,
        failure=_failure(answers, verdicts),
    )


def _attempts(texts: Sequence[tuple[str, str]], verdicts: Sequence[Verdict]) -> list[Attempt]:
    return [
        Attempt(kind, text, verdict.score)
        for (kind, text), verdict in zip(texts, verdicts, strict=True)
    ]


def _failure(answers: Sequence[str], verdicts: Sequence[Verdict]) -> str:
    """Describe the first answer with which the verifier failed."""
    for answer, verdict in zip(answers, verdicts, strict=True):
        if not verdict.reflects_model:
            reason = verdict.detail or verdict.kind
            return f"its verifier fails on the answer {answer!r:.60}: {reason}"
    return ""


async def _mark_right(
    problem: Problem, reference: str | None, pools: Pools, attempts: Sequence[Attempt]
) -> list[Attempt]:
    """Mark paid answers that are right: by both verifiers, by value, or by rules of the task."""
    paid = [one.answer for one in attempts if one.score >= WRONG_LIMIT]
    if not paid:
        return list(attempts)
    verdicts = await pools.other_verifiers.score(problem, paid)
    by_both = {a for a, v in zip(paid, verdicts, strict=True) if v.score >= FULL_MARKS}
    right = {one.answer for one in attempts if one.score >= FULL_MARKS} & by_both
    if reference is not None:
        doubts = (await pools.tested.inspect(problem, paid)).may_be_right
        right |= {answer for answer, doubt in zip(paid, doubts, strict=True) if doubt}
        right |= {answer for answer in paid if equal_but_for_zeros(answer, reference)}
    return [replace(one, right=one.answer in right) for one in attempts]


def _sample(problem: Problem, rules: Mapping[str, str], verdicts: Sequence[Verdict]) -> Sample:
    solved = [name for name, v in zip(rules, verdicts, strict=True) if v.score >= SOLVED]
    return Sample(problem.question, problem.answer, rules, frozenset(solved))


async def _level_report(
    task: str,
    level: float | None,
    pools: Pools,
    measured: Sequence[_Measured],
    failed: Sequence[str],
    effort: Effort,
) -> LevelReport:
    winnable = [one for one in measured if one.sample]
    samples = [one.sample for one in winnable if one.sample]
    names = dict.fromkeys(name for one in winnable for name in one.forms)
    return LevelReport(
        level,
        tuple(sorted((one.report for one in measured), key=lambda report: report.seed)),
        tuple(failed),
        await _best_constant(winnable, pools),
        any(FLOOR < score < FULL_MARKS for one in winnable for score in one.constants),
        forms={
            name: _share([o.accepted[name] for o in winnable if name in o.forms]) for name in names
        },
        refused={
            name: one.forms[name]
            for one in winnable
            for name in one.forms
            if not one.accepted[name]
        },
        programs=tuple(await _programs(task, level, pools.tested, samples, effort)),
        work=Work.of([one.work for one in winnable if one.work is not None]),
    )


def _share(cases: Sequence[bool]) -> Share:
    return Share(sum(cases), len(cases))


async def _programs(
    task: str, level: float | None, pool: WorkerPool, samples: Sequence[Sample], effort: Effort
) -> list[Program]:
    """Measure cheap programs on a few problems, and on all if one of them is promising there."""
    found: list[Program] = []
    drawn, seeds = list(samples), itertools.count(FIRST_DRAWN_SEED)
    for count in (min(FIRST_LOOK, effort.problems), effort.problems):
        if samples:
            drawn += await _draw(task, level, pool, seeds, count - len(drawn))
        found = await asyncio.to_thread(programs, drawn, fitted=effort.fitted)
        if len(drawn) >= effort.problems or not _is_promising(found):
            break
    return found


def _is_promising(found: Sequence[Program]) -> bool:
    top = next((one.solved.value for one in found if one.kind == "constant"), 0.0)
    return any(one.solved.value >= top + PROMISING for one in found)


async def _draw(
    task: str, level: float | None, pool: WorkerPool, seeds: Iterator[int], count: int
) -> list[Sample]:
    """Return further problems that can be won."""
    samples = []
    began = time.perf_counter()
    for seed in itertools.islice(seeds, max(0, count)):
        if time.perf_counter() - began > MAX_DRAW_SECONDS:
            break
        try:
            problem = await pool.make(task, seed, level=level, select=True)
        except MakeFailed:
            continue
        if problem.winnable:
            rules = (await pool.inspect(problem)).shortcuts
            verdicts = await pool.score(problem, list(rules.values())) if rules else []
            samples.append(_sample(problem, rules, verdicts))
    return samples


async def _best_constant(made: Sequence[_Measured], pools: Pools) -> Constant | None:
    """Return the constant with the greatest excess once the other verifiers were asked."""
    references = [one.report.reference for one in made]
    answers = constant_answers([reference for reference in references if reference is not None])
    suspects = constants_by_excess(answers, [one.constants for one in made], references)
    checked = []
    for constant in suspects[:SUSPECTS]:
        column = answers.index(constant.answer)
        right = [
            await _is_right(constant.answer, one.constants[column], one, pools) for one in made
        ]
        checked.append(replace(constant, share=max(constant.share, sum(right) / len(made))))
    return max(checked, key=lambda one: (round(one.excess, 9), one.mean), default=None)


async def _is_right(answer: str, score: float, one: _Measured, pools: Pools) -> bool:
    """Return whether the reference answer is `answer`, or both verifiers give it 1.0."""
    reference = one.report.reference
    if reference is not None and same_answer(answer, reference):
        return True
    if score < FULL_MARKS:
        return False
    [checked] = await _mark_right(one.problem, reference, pools, [Attempt("", answer, score)])
    return checked.right


async def _record_fault(
    task: str, level: float | None, pools: Pools, measured: Sequence[_Measured]
) -> str:
    """Return what is wrong with the record of a user's own task; an empty text if nothing is."""
    try:
        fault = await pools.tested.attempt(task, level)
    except MakeFailed as error:
        fault = f"its trial failed: {error}"
    if fault:
        return fault
    accepted = {rule for one in measured for rule in one.may_break}
    if unknown := accepted - set(RULES):
        return f"`accepted` of its record names {min(unknown)!r}, which is no rule of `validate`"
    families = {one.problem.family for one in measured}
    if len({one.problem.question for one in measured}) > REMADE and len(families) == 1:
        return (
            f"`family` of its record is the same for all {len(measured)} problems, so all or none "
            "are held out"
        )
    return next((one.failure for one in measured if one.failure), "")
