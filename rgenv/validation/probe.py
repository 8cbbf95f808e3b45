"""Measure one task: make problems, generate answers to them, and have them scored.

::

    pools = Pools(tested, other_verifiers, remaking)
    report = await probe_task("gcd", "arithmetic", pools, levels=[None, 0.5], seeds=20)
    report.unexplained

A changed reference answer can be right as well. Wrong answers that earn half or more are therefore
scored a second time by the other verifiers (the library's if ours are tested, else ours). An answer
that both give 1.0 does not count as wrong.

Not here: how the answers are generated (answers.py, rgenv/tasks/answers) and which measurements are
healthy (health.py).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from rgenv.catalog.token_estimate import prompt_tokens
from rgenv.errors import MakeFailed
from rgenv.pool.pool import WorkerPool
from rgenv.types import SOLVED, Problem
from rgenv.validation.answers import constant_answers, junk_answers, wrong_answers
from rgenv.validation.health import (
    FLOOR,
    FULL_MARKS,
    WRONG_LIMIT,
    Attempt,
    LevelReport,
    ProblemReport,
    TaskReport,
)
from rgenv.validation.measures import Constant, Share, Work, constants_by_excess
from rgenv.validation.programs import Sample, programs
from rgenv.validation.same_answers import equal_but_for_zeros, same_answer

SUSPECTS = 3
"""The number of constants of a level that the other verifiers score, too."""
FIRST_DRAWN_SEED = 1_000_000
"""Seeds of the problems on which cheap programs are measured only."""
MAX_DRAW_SECONDS = 4.0
"""Drawing these of one level takes at most about this long; of slow tasks, fewer are drawn."""


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


@dataclass
class _Made:
    """A problem, what is known of it, and the scores of constants."""

    problem: Problem
    report: ProblemReport
    scores: Sequence[float] = ()
    forms: Mapping[str, str] = field(default_factory=dict)
    accepted: Mapping[str, bool] = field(default_factory=dict)
    sample: Sample | None = None
    work: float | None = None


async def probe_task(
    task: str,
    category: str,
    pools: Pools,
    *,
    levels: Sequence[float | None],
    seeds: int,
    problems: int = 0,
    fitted: bool = True,
    advance: Callable[[], None] = lambda: None,
) -> TaskReport:
    """Measure one task at `levels`.

    Args:
        seeds: problems of each level of which everything is measured.
        problems: the number of problems on which cheap programs are measured, these included.
        fitted: whether to measure programs that are fitted, which needs scikit-learn.
        advance: called once for each level.

    Raises:
        PoolBroken: a pool can't replace its workers any more.
    """
    reports: list[LevelReport] = []
    example: _Made | None = None
    for level in levels:
        made, failed = await _make_all(task, level, pools, seeds)
        example = example or next(iter(made), None)
        reports.append(await _probe_level(task, level, pools, made, failed, problems, fitted))
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
        accepted=(await pools.tested.inspect(example.problem)).accepted,
    )


async def _make_all(
    task: str, level: float | None, pools: Pools, seeds: int
) -> tuple[list[_Made], list[str]]:
    """Return the problems of a level, and the reasons why others could not be made."""
    background: list[asyncio.Task[_Made]] = []
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


async def _remake_and_solve(problem: Problem, seconds: float, pools: Pools) -> _Made:
    remade, reference = await asyncio.gather(
        _is_remade(problem, pools.remaking), _reference_answer(problem, pools.tested)
    )
    tokens = prompt_tokens(problem.messages)
    return _Made(
        problem,
        ProblemReport(problem.seed, tokens, seconds, remade, problem.winnable, reference),
    )


async def _is_remade(problem: Problem, pool: WorkerPool) -> bool:
    """Return whether `pool` makes the same question and answer from the recipe."""
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


async def _probe_level(
    task: str,
    level: float | None,
    pools: Pools,
    made: Sequence[_Made],
    failed: Sequence[str],
    problems: int,
    fitted: bool,
) -> LevelReport:
    """Score the problems of a level; those that can't be won are not scored."""
    winnable = [one for one in made if one.problem.winnable]
    references = [one.report.reference for one in winnable if one.report.reference is not None]
    constants = constant_answers(references)
    for one in winnable:
        await _score_reference(one, pools.tested)
        await _score_changed(one, pools, references, constants)
        await _inspect(one, pools.tested)
    samples = [one.sample for one in winnable if one.sample]
    if samples:
        samples += await _draw(task, level, pools.tested, problems - len(samples))
    names = dict.fromkeys(name for one in winnable for name in one.forms)
    works = [one.work for one in winnable if one.work is not None]
    return LevelReport(
        level,
        tuple(sorted((one.report for one in made), key=lambda report: report.seed)),
        tuple(failed),
        await _best_constant(constants, winnable, pools),
        any(FLOOR < score < FULL_MARKS for one in winnable for score in one.scores),
        forms={
            name: _share([o.accepted[name] for o in winnable if name in o.forms]) for name in names
        },
        refused={
            name: one.forms[name]
            for one in winnable
            for name in one.forms
            if not one.accepted[name]
        },
        programs=tuple(await asyncio.to_thread(programs, samples, fitted=fitted)),
        work=Work.of(works),
    )


def _share(cases: Sequence[bool]) -> Share:
    return Share(sum(cases), len(cases))


async def _score_reference(one: _Made, pool: WorkerPool) -> None:
    reference = one.report.reference
    if reference is None:
        return
    began = time.perf_counter()
    [verdict] = await pool.score(one.problem, [reference])
    one.report = replace(
        one.report,
        # The pool rejects an empty answer without asking the verifier.
        reference_score=verdict.score if reference else 1.0,
        score_seconds=time.perf_counter() - began,
    )


async def _score_changed(
    one: _Made, pools: Pools, references: Sequence[str], constants: Sequence[str]
) -> None:
    """Score wrong answers, junk and `constants`."""
    problem, reference = one.problem, one.report.reference
    wrong: list[tuple[str, str]] = []
    if reference is not None:
        wrong += wrong_answers(reference, references)
        by = f"{problem.task} {problem.seed}"
        wrong += (await pools.tested.write(problem, reference, wrong_by=by)).items()
    junk = list(junk_answers(problem.question, reference, references))
    answers = [answer for _, answer in [*wrong, *junk]] + list(constants)
    scores = [verdict.score for verdict in await pools.tested.score(problem, answers)]
    attempts = [Attempt(*one, score) for one, score in zip([*wrong, *junk], scores, strict=False)]
    checked = await _mark_right(problem, reference, pools, attempts[: len(wrong)])
    one.report = replace(one.report, wrong=tuple(checked), junk=tuple(attempts[len(wrong) :]))
    one.scores = scores[len(attempts) :]


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


async def _inspect(one: _Made, pool: WorkerPool) -> None:
    """Score other forms of the reference answer, and the answers of the task's rules."""
    reference = one.report.reference
    one.forms = {} if reference is None else await pool.write(one.problem, reference)
    verdicts = await pool.score(one.problem, list(one.forms.values()))
    solved = [verdict.score >= SOLVED for verdict in verdicts]
    one.accepted = dict(zip(one.forms, solved, strict=True))
    one.sample, one.work = await _sample(one.problem, pool)


async def _sample(problem: Problem, pool: WorkerPool) -> tuple[Sample, float | None]:
    """Return a problem with the answers of its task's rules, and the work that it takes."""
    found = await pool.inspect(problem)
    rules = found.shortcuts
    verdicts = await pool.score(problem, list(rules.values())) if rules else []
    solved = [name for name, v in zip(rules, verdicts, strict=True) if v.score >= SOLVED]
    return Sample(problem.question, problem.answer, rules, frozenset(solved)), found.work


async def _draw(task: str, level: float | None, pool: WorkerPool, count: int) -> list[Sample]:
    """Return further problems that can be won."""
    samples = []
    began = time.perf_counter()
    for seed in range(FIRST_DRAWN_SEED, FIRST_DRAWN_SEED + max(0, count)):
        if time.perf_counter() - began > MAX_DRAW_SECONDS:
            break
        try:
            problem = await pool.make(task, seed, level=level, select=True)
        except MakeFailed:
            continue
        if problem.winnable:
            samples.append((await _sample(problem, pool))[0])
    return samples


async def _best_constant(
    answers: Sequence[str], made: Sequence[_Made], pools: Pools
) -> Constant | None:
    """Return the constant with the greatest excess once the other verifiers were asked."""
    table = [one.scores for one in made]
    suspects = constants_by_excess(answers, table, [one.report.reference for one in made])
    checked = []
    for constant in suspects[:SUSPECTS]:
        column = answers.index(constant.answer)
        right = [await _is_right(constant.answer, one.scores[column], one, pools) for one in made]
        checked.append(replace(constant, share=max(constant.share, sum(right) / len(made))))
    return max(checked, key=lambda one: (round(one.excess, 9), one.mean), default=None)


async def _is_right(answer: str, score: float, one: _Made, pools: Pools) -> bool:
    """Return whether the reference answer is `answer`, or both verifiers give it 1.0."""
    reference = one.report.reference
    if reference is not None and same_answer(answer, reference):
        return True
    if score < FULL_MARKS:
        return False
    [checked] = await _mark_right(one.problem, reference, pools, [Attempt("", answer, score)])
    return checked.right
