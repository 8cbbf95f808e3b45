"""Measure one task: make problems, generate answers to them, and have them scored.

::

    pools = Pools(tested, other_verifiers, remaking)
    report = await probe_task("gcd", "arithmetic", pools, levels=[None, 0.5], seeds=range(20))
    report.healthy

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
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any, Protocol

from rgenv.catalog.token_estimate import prompt_tokens
from rgenv.errors import MakeFailed
from rgenv.types import SOLVED, Inspection, Problem, Verdict
from rgenv.validation.answers import constant_answers, junk_answers, wrong_answers
from rgenv.validation.constants import Constant, rank_constants
from rgenv.validation.health import Attempt, LevelReport, ProblemReport, TaskReport
from rgenv.validation.measures import Share, best_policy, mean_work, top_answer
from rgenv.validation.rules import FLOOR, FULL_MARKS, WRONG_LIMIT
from rgenv.validation.same_answers import equal_but_for_zeros, same_answer
from rgenv.validation.tells import FEW_LABELS, labels_in_use, tell

SUSPECTS = 3
"""The number of constants of a level that the other verifiers score, too."""

FIRST_TELL_SEED = 1_000_000
"""Seeds of the problems that teach the classifier of questions."""
MIN_TELL_PROBLEMS = 60
MAX_TELL_SECONDS = 60.0
"""Making these problems takes at most about this long; of slow tasks, fewer are made."""


class Pool(Protocol):
    """The methods of a WorkerPool that validation uses; see there for what they raise."""

    async def make(
        self,
        task: str,
        seed: int,
        *,
        level: float | None = None,
        config: Mapping[str, Any] | None = None,
        select: bool = False,
        source: str | None = None,
    ) -> Problem:
        """Make one problem."""

    async def inspect(self, problem: Problem, answers: Sequence[str] = ()) -> Inspection:
        """Return what the record of its task says of a problem."""

    async def write(
        self, problem: Problem, reference: str, *, wrong_by: str | None = None
    ) -> Mapping[str, str]:
        """Return a right answer in other forms by name, or wrong answers."""

    async def score(self, problem: Problem, answers: Sequence[str | None]) -> list[Verdict]:
        """Return one verdict for each answer, in order."""

    async def solve(self, problem: Problem) -> str | None:
        """Return an answer that is known to be right, or None."""


@dataclass(frozen=True)
class Pools:
    """The three pools that a probe uses.

    Attributes:
        tested: the pool whose problems and verifiers are checked.
        other_verifiers: a pool with the library's verifiers if `tested` has ours, and vice versa.
        remaking: a pool of other processes, which should make the same problems as `tested`.
    """

    tested: Pool
    other_verifiers: Pool
    remaking: Pool


async def probe_task(
    task: str,
    category: str,
    pools: Pools,
    *,
    levels: Sequence[float | None],
    seeds: Sequence[int],
    tell_problems: int = 0,
    advance: Callable[[], None] = lambda: None,
) -> TaskReport:
    """Measure one task at `levels`, with one problem for each of `seeds` at every level.

    Args:
        tell_problems: the number of further problems of a level with few answers, from which a
            classifier learns to predict the answer from the surface of the question.
        advance: called once for each problem, made or failed.

    Raises:
        PoolBroken: a pool can't replace its workers any more.
    """
    reports: list[LevelReport] = []
    example: _Made | None = None
    for level in levels:
        made, failed = await _make_all(task, level, pools, seeds, advance)
        if made:
            example = example or made[0]
        report = await _probe_level(level, pools, made, failed)
        if tell_problems and _has_few_answers(made):
            each = fmean(one.report.make_seconds for one in made)
            count = min(tell_problems, int(MAX_TELL_SECONDS / max(each, 1e-3)))
            report = await _with_tell(report, task, pools.tested, count)
        reports.append(report)
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


@dataclass(frozen=True)
class _Made:
    """A problem that was made, remade and solved, but not yet scored."""

    problem: Problem
    report: ProblemReport


async def _make_all(
    task: str,
    level: float | None,
    pools: Pools,
    seeds: Sequence[int],
    advance: Callable[[], None],
) -> tuple[list[_Made], list[str]]:
    """Return the problems of a level, and the reasons why others could not be made."""
    background: list[asyncio.Task[_Made]] = []
    failed: list[str] = []
    try:
        for seed in seeds:
            began = time.perf_counter()
            try:
                problem = await pools.tested.make(task, seed, level=level, select=True)
            except MakeFailed as error:
                failed.append(f"seed {seed}: {error}")
            else:
                seconds = time.perf_counter() - began
                # In the background, while the next problem is made.
                background.append(asyncio.create_task(_remake_and_solve(problem, seconds, pools)))
            advance()
        return await asyncio.gather(*background), failed
    finally:
        for work in background:
            work.cancel()


async def _remake_and_solve(problem: Problem, make_seconds: float, pools: Pools) -> _Made:
    remade, reference = await asyncio.gather(
        _is_remade(problem, pools.remaking), _reference_answer(problem, pools.tested)
    )
    report = ProblemReport(
        seed=problem.seed,
        prompt_tokens=prompt_tokens(problem.messages),
        make_seconds=make_seconds,
        remade=remade,
        winnable=problem.winnable,
        reference=reference,
    )
    return _Made(problem, report)


async def _is_remade(problem: Problem, pool: Pool) -> bool:
    """Return whether `pool` makes the same question and answer from the recipe."""
    try:
        remade = await pool.make(**problem.recipe)
    except MakeFailed:
        return False
    return (remade.question, remade.answer) == (problem.question, problem.answer)


async def _reference_answer(problem: Problem, pool: Pool) -> str | None:
    if problem.answer is not None:
        return problem.answer
    try:
        return await pool.solve(problem)
    except MakeFailed:  # the search took too long, so no answer is known
        return None


async def _probe_level(
    level: float | None, pools: Pools, made: Sequence[_Made], failed: Sequence[str]
) -> LevelReport:
    """Score the problems of a level; those that can't be won are not scored."""
    winnable = [one for one in made if one.problem.winnable]
    references = [one.report.reference for one in winnable if one.report.reference is not None]
    constants = constant_answers(references)
    reports = [one.report for one in made if not one.problem.winnable]
    table: list[list[float]] = []
    inspected: list[_Inspected] = []
    for one in winnable:
        report, scores = await _score_problem(one, pools, references, constants)
        reports.append(report)
        table.append(scores)
        inspected.append(await _inspect(one, pools.tested))
    amounts = [one.work for one in inspected if one.work is not None]
    names = list(dict.fromkeys(name for one in inspected for name in one.forms))
    return LevelReport(
        level,
        tuple(sorted(reports, key=lambda report: report.seed)),
        tuple(failed),
        await _best_constant(constants, table, winnable, pools.other_verifiers),
        any(FLOOR < score < FULL_MARKS for scores in table for score in scores),
        forms={name: _accepted(name, inspected) for name in names},
        refused={name: text for one in inspected for name, text in one.refused.items()},
        shortcut=best_policy([one.solved_by for one in inspected]),
        top_answer=top_answer(references),
        work=mean_work(amounts),
    )


@dataclass(frozen=True)
class _Inspected:
    """One problem: which forms of its answer are accepted, which rules solve it, its work."""

    forms: Mapping[str, bool]
    refused: Mapping[str, str]
    solved_by: Sequence[str]
    work: float | None


async def _inspect(one: _Made, pool: Pool) -> _Inspected:
    problem, reference = one.problem, one.report.reference
    written = {} if reference is None else await pool.write(problem, reference)
    inspection = await pool.inspect(problem)
    groups = written, inspection.shortcuts
    texts = [text for group in groups for text in group.values()]
    scored = iter(await pool.score(problem, texts))
    accepted, by_shortcut = (
        {name: next(scored).score >= SOLVED for name in group} for group in groups
    )
    return _Inspected(
        accepted,
        {name: written[name] for name, is_accepted in accepted.items() if not is_accepted},
        [name for name, solves in by_shortcut.items() if solves],
        inspection.work,
    )


def _accepted(name: str, inspected: Sequence[_Inspected]) -> Share:
    cases = [one.forms[name] for one in inspected if name in one.forms]
    return Share(sum(cases), len(cases))


def _has_few_answers(made: Sequence[_Made]) -> bool:
    answers = [one.problem.answer for one in made]
    if not answers or None in answers or 2 * len(set(answers)) > len(answers):
        return False
    return labels_in_use(answers) <= FEW_LABELS


async def _with_tell(report: LevelReport, task: str, pool: Pool, count: int) -> LevelReport:
    """Return the report with the accuracy of a classifier of `count` further questions."""
    made: dict[str, str] = {}
    for seed in range(FIRST_TELL_SEED, FIRST_TELL_SEED + count):
        try:
            problem = await pool.make(task, seed, level=report.level, select=True)
        except MakeFailed:
            continue
        if problem.winnable:
            made[problem.question] = str(problem.answer)
    if len(made) < max(MIN_TELL_PROBLEMS, count / 4):  # noise, or few enough to know by heart
        return report
    excess = await asyncio.to_thread(tell, list(made), list(made.values()))
    return replace(report, tell=excess, tell_error=0.5 / len(made) ** 0.5)


async def _score_problem(
    one: _Made, pools: Pools, references: Sequence[str], constants: Sequence[str]
) -> tuple[ProblemReport, list[float]]:
    """Return the report with the scores of all generated answers, and the scores of `constants`."""
    report = await _with_reference_score(one, pools.tested)
    reference = report.reference
    wrong: list[tuple[str, str]] = []
    if reference is not None:
        wrong += wrong_answers(reference, references)
        by = f"{one.problem.task} {one.problem.seed}"
        wrong += (await pools.tested.write(one.problem, reference, wrong_by=by)).items()
    junk = list(junk_answers(one.problem.question, reference, references))
    generated = [*wrong, *junk]
    answers = [answer for _, answer in generated] + list(constants)
    scores = [verdict.score for verdict in await pools.tested.score(one.problem, answers)]
    attempts = [
        Attempt(kind, answer, score)
        for (kind, answer), score in zip(generated, scores[: len(generated)], strict=True)
    ]
    checked = await _mark_right(one.problem, pools.other_verifiers, attempts[: len(wrong)])
    checked = await _mark_doubtful(one.problem, reference, pools.tested, checked)
    report = replace(report, wrong=tuple(checked), junk=tuple(attempts[len(wrong) :]))
    return report, scores[len(generated) :]


async def _mark_doubtful(
    problem: Problem, reference: str | None, pool: Pool, attempts: Sequence[Attempt]
) -> list[Attempt]:
    """Mark changed answers that are paid and may be right, by value or by rules of the task."""
    paid = [a.answer for a in attempts if a.score >= WRONG_LIMIT]
    if reference is None or not paid:
        return list(attempts)
    doubts = (await pool.inspect(problem, paid)).may_be_right
    doubtful = {text for text, doubt in zip(paid, doubts, strict=True) if doubt}
    doubtful |= {text for text in paid if equal_but_for_zeros(text, reference)}
    return [replace(a, right=a.right or a.answer in doubtful) for a in attempts]


async def _with_reference_score(one: _Made, pool: Pool) -> ProblemReport:
    reference = one.report.reference
    if reference is None:
        return one.report
    began = time.perf_counter()
    [verdict] = await pool.score(one.problem, [reference])
    return replace(
        one.report,
        # The pool rejects an empty answer without asking the verifier.
        reference_score=verdict.score if reference else 1.0,
        score_seconds=time.perf_counter() - began,
    )


async def _mark_right(problem: Problem, pool: Pool, attempts: Sequence[Attempt]) -> list[Attempt]:
    """Set `right` on the attempts that earn 1.0 here and from the verifiers of `pool`."""
    doubtful = [attempt.answer for attempt in attempts if attempt.score >= WRONG_LIMIT]
    if not doubtful:
        return list(attempts)
    verdicts = await pool.score(problem, doubtful)
    accepted = {
        answer
        for answer, verdict in zip(doubtful, verdicts, strict=True)
        if verdict.score >= FULL_MARKS
    }
    return [
        replace(one, right=one.score >= FULL_MARKS and one.answer in accepted) for one in attempts
    ]


async def _best_constant(
    answers: Sequence[str],
    table: Sequence[Sequence[float]],
    made: Sequence[_Made],
    pool: Pool,
) -> Constant | None:
    """Return the constant with the greatest excess once the verifiers of `pool` were asked."""
    suspects = rank_constants(answers, table, [one.report.reference for one in made])[:SUSPECTS]
    checked = []
    for constant in suspects:
        column = answers.index(constant.answer)
        scores = [row[column] for row in table]
        right = await _count_right(constant.answer, scores, made, pool)
        checked.append(replace(constant, share=max(constant.share, right / len(made))))
    return max(checked, key=lambda one: (round(one.excess, 9), one.mean), default=None)


async def _count_right(
    answer: str, scores: Sequence[float], made: Sequence[_Made], pool: Pool
) -> int:
    """Count the problems whose reference answer is `answer`, or that both verifiers give 1.0."""
    count = 0
    for one, score in zip(made, scores, strict=True):
        reference = one.report.reference
        if reference is not None and same_answer(answer, reference):
            count += 1
        elif score >= FULL_MARKS:
            [verdict] = await pool.score(one.problem, [answer])
            attempt = Attempt("constant", answer, score, right=verdict.score >= FULL_MARKS)
            [checked] = await _mark_doubtful(one.problem, reference, pool, [attempt])
            count += checked.right
    return count
