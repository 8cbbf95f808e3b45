"""Measure one task: make problems, generate answers to them, and have them scored.

A changed reference answer can be right as well. Wrong answers that earn half or more are therefore
scored a second time by the other verifiers (the library's if ours are tested, else ours). An answer
that both give 1.0 does not count as wrong. A user's own task has one verifier only, which pardons
nothing: there `accepted` says what is paid on purpose, and plain near misses are tried, too.
"""

import asyncio
import itertools
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from rgenv.catalog.token_estimate import prompt_tokens
from rgenv.errors import MakeFailed
from rgenv.pool.pool import WorkerPool
from rgenv.task_names import LIBRARY
from rgenv.types import SOLVED, Problem, Verdict
from rgenv.validation.answers import (
    constant_answers,
    equal_but_for_zeros,
    junk_answers,
    near_misses,
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
from rgenv.validation.measures import Constant, Work, constants_by_excess
from rgenv.validation.programs import Program, Sample, programs
from rgenv.worker.protocol import OWN

SUSPECTS = 3
"""The number of constants of a level that the other verifiers score, too."""
REMADE = 5
"""The number of problems of a level that another worker makes again."""
PARTS = 3
"""Parts of the wrong answers in all forms, of which a problem has one: three in a row have all."""
MAX_MAKE_SECONDS = 5.0
"""Making the problems of a level of which everything is measured takes at most about this long."""
FIRST_DRAWN_SEED = 1_000_000
"""Seeds of the problems on which cheap programs are measured only."""
FIRST_LOOK = 60
"""Programs are measured on so many problems first, and on more if one of them solves much there."""
PROMISING = 0.1
"""How many more problems it then solves than the most frequent answer."""
MAX_DRAW_SECONDS = 1.0
"""Drawing these for one look takes about this long at most; of slow tasks, fewer are drawn."""
PATIENCE = 5
"""How many times longer it may take on a busy machine."""


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
        drawn: problems on which cheap programs are measured, these included.
        fitted: whether to measure programs that are fitted, which needs scikit-learn.
        problems: ``library`` or ``hardened``.
    """

    seeds: int
    drawn: int = 0
    fitted: bool = True
    problems: str = LIBRARY


@dataclass(frozen=True)
class _Measured:
    """A problem, and what was measured of it if it can be won.

    Attributes:
        constants: the scores of the constants of its level.
        may_break: the rules that its task may break, and why.
        failure: how the verifier failed with one of the answers; empty if it did not.
    """

    problem: Problem
    report: ProblemReport
    constants: Sequence[float] = ()
    sample: Sample | None = None
    work: float | None = None
    may_break: Mapping[str, str] = field(default_factory=dict)
    failure: str = ""


async def probe_task(
    task: str, category: str, pools: Pools, effort: Effort, *, levels: Sequence[float | None]
) -> TaskReport:
    """Measure one task at `levels`.

    Raises:
        PoolBroken: a pool can't replace its workers any more.
    """
    reports: list[LevelReport] = []
    accepted: Mapping[str, str] = {}
    for level in levels:
        made, failed = await _make_all(task, level, pools, effort)
        fault = await _trial_fault(task, level, pools.tested) if category == OWN else ""
        try:
            measured = await _measure_all(made, pools)
            report = await _level_report(task, level, pools, measured, failed, effort)
        except MakeFailed as error:  # functions of the record fail or hang
            measured, report = made, LevelReport(level, tuple(one.report for one in made))
            fault = fault or f"nothing can be measured: {error}"
        if category == OWN:
            fault = fault or _record_fault(measured)
        report = replace(report, record=fault)
        reports.append(report)
        accepted = next((one.may_break for one in measured if one.sample), accepted)
    return TaskReport(task, category, tuple(reports), accepted=accepted)


async def _make_all(
    task: str, level: float | None, pools: Pools, effort: Effort
) -> tuple[list[_Measured], list[str]]:
    made: list[_Measured] = []
    failed: list[str] = []
    deadline = time.perf_counter() + MAX_MAKE_SECONDS
    for seed in range(effort.seeds):
        began = time.perf_counter()
        if began > deadline:
            break
        try:
            problem = await pools.tested.make(
                task, seed, level=level, select=True, problems=effort.problems
            )
        except MakeFailed as error:
            failed.append(f"seed {seed}: {error}")
            continue
        report = ProblemReport(
            seed,
            prompt_tokens(problem.messages),
            time.perf_counter() - began,
            await _is_remade(problem, pools.remaking),
            problem.winnable,
            await _reference_answer(problem, pools.tested),
        )
        made.append(_Measured(problem, report))
    return made, failed


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
    right, wrong = await _written(problem, reference, references, pools.tested)
    junk = list(junk_answers(problem.question, reference, references))
    texts = [*right, *wrong, *junk, *(("", text) for text in constants)]
    texts += [("", text) for text in known.shortcuts.values()]
    distinct = list(dict.fromkeys(text for _, text in texts))
    began = time.perf_counter()
    scored = dict(zip(distinct, await pools.tested.score(problem, distinct), strict=True))
    seconds = time.perf_counter() - began
    verdicts = [scored[text] for _, text in texts]
    attempts = iter(map(_attempt, texts, verdicts))
    of_right, of_wrong, of_junk, of_constants = (
        list(itertools.islice(attempts, len(group))) for group in (right, wrong, junk, constants)
    )
    solved = [one.score >= SOLVED for one in attempts]
    reference_score = of_right[0].score if of_right else None
    if reference == "":  # the pool rejects it without asking the verifier
        reference_score = 1.0
    return replace(
        one,
        report=replace(
            one.report,
            reference_score=reference_score,
            score_seconds=seconds / len(distinct),
            forms=tuple(of_right[1:]),
            wrong=tuple(await _mark_right(problem, reference, pools, of_wrong)),
            junk=tuple(of_junk),
        ),
        constants=[one.score for one in of_constants],
        sample=_sample(problem, known.shortcuts, solved),
        work=known.work,
        may_break=known.accepted,
        failure=_failure(texts, verdicts),
    )


async def _written(
    problem: Problem, reference: str | None, references: Sequence[str], pool: WorkerPool
) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Return right answers, the reference answer first, and wrong ones, each with its kind."""
    if reference is None:
        return [], []
    right = await pool.write(problem, reference)
    wrong = await pool.write(problem, reference, wrong_by=f"{problem.task} {problem.seed}")
    part = itertools.islice(wrong.items(), problem.seed % PARTS, None, PARTS)
    changed = list(wrong_answers(reference, references))
    if problem.is_own:
        known = {text for _, text in changed}
        changed += [one for one in near_misses(reference, references) if one[1] not in known]
    return [("", reference), *right.items()], [*changed, *part]


def _attempt(text: tuple[str, str], verdict: Verdict) -> Attempt:
    return Attempt(*text, verdict.score)


def _failure(texts: Sequence[tuple[str, str]], verdicts: Sequence[Verdict]) -> str:
    """Describe the first answer with which the verifier failed."""
    for (_, answer), verdict in zip(texts, verdicts, strict=True):
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
    right: set[str] = set()
    if not problem.is_own:
        verdicts = await pools.other_verifiers.score(problem, paid)
        by_both = {a for a, v in zip(paid, verdicts, strict=True) if v.score >= FULL_MARKS}
        right = {one.answer for one in attempts if one.score >= FULL_MARKS} & by_both
    if reference is not None:
        doubts = (await pools.tested.inspect(problem, paid)).may_be_right
        right |= {answer for answer, doubt in zip(paid, doubts, strict=True) if doubt}
        right |= {answer for answer in paid if equal_but_for_zeros(answer, reference)}
    return [replace(one, right=one.answer in right) for one in attempts]


def _sample(problem: Problem, rules: Mapping[str, str], solved: Sequence[bool]) -> Sample:
    solving = [name for name, has_solved in zip(rules, solved, strict=True) if has_solved]
    return Sample(problem.question, problem.answer, rules, frozenset(solving))


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
    return LevelReport(
        level,
        tuple(one.report for one in measured),
        tuple(failed),
        await _best_constant(winnable, pools),
        any(FLOOR < score < FULL_MARKS for one in winnable for score in one.constants),
        programs=tuple(
            await _programs(task, level, pools.tested, samples, effort, _affordable(winnable))
        ),
        work=Work.of([one.work for one in winnable if one.work is not None]),
    )


def _affordable(made: Sequence[_Measured]) -> int:
    """Return how many problems one look can draw, going by those that were made quickly.

    The others may have waited for a busy machine.
    """
    seconds = sorted(one.report.make_seconds for one in made)
    return int(MAX_DRAW_SECONDS / max(seconds[len(seconds) // 4], 1e-4)) if seconds else 0


async def _programs(
    task: str,
    level: float | None,
    pool: WorkerPool,
    samples: Sequence[Sample],
    effort: Effort,
    affordable: int,
) -> list[Program]:
    """Measure cheap programs on a few problems, and on all if one of them is promising there."""
    found: list[Program] = []
    drawn, seeds = list(samples), itertools.count(FIRST_DRAWN_SEED)
    for count in (min(FIRST_LOOK, effort.drawn), effort.drawn):
        if samples:
            wanted = max(0, min(count - len(drawn), affordable))
            some = itertools.islice(seeds, wanted)
            drawn += await _draw(task, level, pool, some, effort.problems)
        found = await asyncio.to_thread(programs, drawn, fitted=effort.fitted)
        if len(drawn) >= effort.drawn or not _is_promising(found):
            break
    return found


def _is_promising(found: Sequence[Program]) -> bool:
    top = next((one.solved.value for one in found if one.kind == "constant"), 0.0)
    return any(one.solved.value >= top + PROMISING for one in found)


async def _draw(
    task: str, level: float | None, pool: WorkerPool, seeds: Iterable[int], problems: str
) -> list[Sample]:
    samples = []
    began = time.perf_counter()
    for seed in seeds:
        if time.perf_counter() - began > PATIENCE * MAX_DRAW_SECONDS:
            break
        try:
            problem = await pool.make(task, seed, level=level, select=True, problems=problems)
        except MakeFailed:
            continue
        if problem.winnable:
            rules = (await pool.inspect(problem)).shortcuts
            verdicts = await pool.score(problem, list(rules.values())) if rules else []
            solved = [verdict.score >= SOLVED for verdict in verdicts]
            samples.append(_sample(problem, rules, solved))
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


async def _trial_fault(task: str, level: float | None, pool: WorkerPool) -> str:
    """Return what a trial finds wrong with a user's own task; an empty text if nothing is."""
    try:
        return await pool.attempt(task, level) or ""
    except MakeFailed as error:
        return f"its trial failed: {error}"


def _record_fault(measured: Sequence[_Measured]) -> str:
    """Return what problems show to be wrong with the record of a user's own task."""
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
