"""What docs/tasks.md says of a task beyond `validate`: what is earned without solving, and work.

Cheap programs (programs.py) are measured on the problems that `validate` checked and on some more.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev

from rgenv.errors import MakeFailed
from rgenv.measured import Health, PromptTokens
from rgenv.pool.pool import WorkerPool
from rgenv.text import level_name
from rgenv.types import SOLVED, Problem
from rgenv.validation.check import FULL_MARKS, LIMITS, LevelReport, TaskReport, quoted
from tools.programs import Program, Sample, programs
from tools.token_estimate import prompt_tokens

MAX_TOP_ANSWER = 0.6
"""The highest share of problems that may have one reference answer."""
MAX_SHORTCUT = 0.15
"""The most by which a cheap program may solve more problems than the most frequent answer."""
DRAWN, FIRST_DRAWN_SEED = 150, 1_000_000
"""Problems of a level on which programs are measured, and the seed of the first that is drawn."""
MAX_DRAW_SECONDS = 10.0
"""Drawing them takes about this long at most; of slow tasks, fewer are drawn."""
Z = 1.96
"""Standard deviations in half of a 95 % interval."""


@dataclass(frozen=True)
class Level:
    """What was measured at one level.

    Attributes:
        programs: the best cheap program of each kind, from the cheapest kind to the dearest.
        work: of each problem; empty if it is not known.
    """

    report: LevelReport
    programs: Sequence[Program]
    work: Sequence[float]

    @property
    def top_answer(self) -> Program | None:
        return next((one for one in self.programs if one.kind == "constant"), None)

    @property
    def top_share(self) -> float:
        return self.top_answer.solved.value if self.top_answer else 0.0

    @property
    def shortcut(self) -> Program | None:
        """The cheapest program that solves too much; if there is none, the one that solves most."""
        others = [one for one in self.programs if one.kind != "constant"]
        cheapest = (one for one in others if one.solved.least > self.top_share + MAX_SHORTCUT)
        return next(cheapest, max(others, key=lambda one: one.solved.value, default=None))

    @property
    def beyond(self) -> float:
        """How many more problems a cheap program solves than the most frequent answer."""
        return max((one.solved.value for one in self.programs), default=0.0) - self.top_share


async def measure(report: TaskReport, pool: WorkerPool) -> Health:
    """Measure what `validate` does not, and return all that is carried of a task."""
    levels = [await _level(report.task, one, pool) for one in report.levels]
    tokens = {
        one.level: PromptTokens.of(prompt_tokens(each.problem.messages) for each in one.checked)
        for one in report.levels
        if "made" not in one.faults
    }
    whole = PromptTokens.of([prompt_tokens(one.problem.messages) for one in report.checked] or [0])
    accepted = {rule: report.accepted.get(rule) for rule in _broken(levels)}
    figures = {
        "forms": f"{fmean('form' not in one.faults for one in report.checked):.3f}",
        "top answer": _worst([(one.top_share, one.top_answer, one) for one in levels]),
        "shortcut": _worst([(one.beyond, one.shortcut, one) for one in levels]),
        "beyond": " ".join(f"{one.beyond:+.2f}" for one in levels if one.programs),
        "work": _work(levels),
    }
    return Health(
        _reward_kind(report),
        len(report.checked),
        whole,
        tokens,
        report.broken | accepted,
        {column: cell for column, cell in figures.items() if cell},
    )


def _reward_kind(report: TaskReport) -> str:
    """Return ``binary``: scores are 0 or 1; ``floor``: a little for any attempt; or ``partial``."""
    between = {s for one in report.checked for s in one.scores.values() if 0 < s < FULL_MARKS}
    return "binary" if not between else "partial" if max(between) > LIMITS["junk"] else "floor"


async def _level(task: str, report: LevelReport, pool: WorkerPool) -> Level:
    samples, work = [], []
    for problem in [one.problem for one in report.checked if one.problem.winnable]:
        samples.append(await _sample(problem, pool))
        amount = (await pool.inspect(problem)).work
        work += [amount] if amount is not None else []
    deadline = time.perf_counter() + MAX_DRAW_SECONDS
    for seed in itertools.count(FIRST_DRAWN_SEED) if samples else ():
        if len(samples) >= DRAWN or time.perf_counter() > deadline:
            break
        try:
            problem = await pool.make(task, seed, level=report.level, select=True)
        except MakeFailed:
            continue
        if problem.winnable:
            samples.append(await _sample(problem, pool))
    return Level(report, programs(samples), work)


async def _sample(problem: Problem, pool: WorkerPool) -> Sample:
    rules = (await pool.inspect(problem)).shortcuts
    verdicts = await pool.score(problem, list(rules.values())) if rules else []
    solving = [name for name, one in zip(rules, verdicts, strict=True) if one.score >= SOLVED]
    return Sample(problem.question, problem.answer, rules, frozenset(solving))


def _broken(levels: Sequence[Level]) -> list[str]:
    """Return the rules that are broken: ``shortcut``, ``constant``, ``work``."""
    shortcuts = [(one.shortcut, one.top_share + MAX_SHORTCUT) for one in levels]
    tops = [one.top_answer for one in levels]
    found = {
        "shortcut": any(one is not None and one.solved.least > most for one, most in shortcuts),
        "constant": any(one is not None and one.solved.least > MAX_TOP_ANSWER for one in tops),
        "work": _falls({at.report.level: at.work for at in levels if at.report.level is not None}),
    }
    return [rule for rule, is_broken in found.items() if is_broken]


def _falls(work: Mapping[float, Sequence[float]]) -> bool:
    """Return whether the mean work falls beyond its error, or is no more at the last level."""
    known = [amounts for _, amounts in sorted(work.items()) if len(amounts) > 1]
    errors = [Z * pstdev(amounts) / (len(amounts) - 1) ** 0.5 for amounts in known]
    means = list(map(fmean, known))
    drops = zip(itertools.pairwise(means), itertools.pairwise(errors), strict=True)
    return any(a - b > (x * x + y * y) ** 0.5 for (a, b), (x, y) in drops) or (
        len(means) > 1 and means[-1] <= means[0]
    )


def _worst(found: Sequence[tuple[float, Program | None, Level]]) -> str:
    """Return the share, level and name of the program with the greatest number."""
    _, program, level = max(found, key=lambda one: one[0], default=(0.0, None, None))
    if program is None or level is None:
        return ""
    name = program.name if program.kind == "constant" else str(program)
    at = level.report.level
    code = quoted(name, 60).strip("'").replace("|", "¦").replace("`", "´")
    return f"{program.solved.value:.2f}@{'d' if at is None else level_name(at)} `{code}`"


def _work(levels: Sequence[Level]) -> str:
    known = [one for one in levels if one.report.level is not None and one.work]
    return f"{fmean(known[0].work):.3g} → {fmean(known[-1].work):.3g}" if len(known) > 1 else ""
