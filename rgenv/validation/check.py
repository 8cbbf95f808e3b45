"""Check one task: make problems, write right and wrong answers to them, and have them scored.

An answer that differs from the reference answer may be right as well. For tasks of reasoning-gym,
what earns 1.0 is therefore scored by the other verifiers, too (the library's if ours are checked,
else ours), and right if it earns 1.0 there. A user's own task has one verifier only, so nothing is
pardoned: there `accepted` of its record says what is paid on purpose, such as ``wrong: order``, and
each kind of wrong answers is told.
"""

import re
import time
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import NamedTuple

from rgenv.errors import MakeFailed
from rgenv.pool.coverage import State
from rgenv.pool.pool import WorkerPool
from rgenv.runtime.progress import say_if_slow
from rgenv.text import level_name, quoted, quoted_apart
from rgenv.types import Problem, Verdict
from rgenv.validation.answers import (
    constant_answers,
    copied,
    junk_answers,
    near_misses,
    same_answer,
    written,
)

RULES = {
    "record": "the record of a user's own task can be used",
    "made": "problems that can be won are made, and few fail",
    "remake": "a recipe makes the same problem in every worker",
    "oracle": "a reference answer earns 1.0",
    "form": "so does a right answer in any usual wrapper, such as bold or boxed",
    "wrong": "a wrong answer earns less than half",
    "junk": "a text that is not an answer earns next to nothing",
    "blind": "no constant earns more than the share of problems for which it is right, nor is one "
    "right for all",
}
"""Rules, as the output names them, and what a healthy task does."""

FULL_MARKS = 1.0 - 1e-9
"""The lowest score that counts as 1.0."""
LIMITS = {"wrong": 0.5, "junk": 0.051}
"""Wrong answers, and texts that are not answers, score less."""
MAX_EXCESS = 0.02
"""The most by which a constant's mean score may exceed the share of problems it is right for."""
MAX_FAILED = 0.1
"""The share of a level's problems whose generation may fail; the stream skips them."""
REMADE = 5
"""The problems of a level that another worker makes again."""
MAX_MAKE_SECONDS = 5.0
"""After this long no more problems of a level are made than `REMADE`."""


class Pools(NamedTuple):
    """The three pools that a check uses."""

    tested: WorkerPool
    other_verifiers: WorkerPool  # the library's if `tested` has ours, and vice versa
    remaking: WorkerPool  # other processes, which should make the same problems as `tested`


@dataclass
class Checked:
    """One problem, and what was found."""

    problem: Problem
    make_seconds: float
    reference: str | None  # the reference answer, if one is known
    faults: dict[str, str] = field(default_factory=dict)  # broken rule -> the first case in words
    scores: dict[str, float] = field(default_factory=dict)  # of wrong answers, junk and constants
    score_seconds: float = 0.0  # of an answer, on average


@dataclass(frozen=True)
class LevelReport:
    """A task at one level: the problems that could be made, and the broken rules in words."""

    level: float | None
    checked: Sequence[Checked]
    faults: dict[str, str]


@dataclass(frozen=True)
class TaskReport:
    """A task at all its levels."""

    task: str
    levels: Sequence[LevelReport]
    coverage: State = "covered"  # whether our corrections apply to the task
    accepted: Mapping[str, str] = field(default_factory=dict)  # what it may break -> why

    @property
    def checked(self) -> list[Checked]:
        return [one for level in self.levels for one in level.checked]

    @property
    def faults(self) -> dict[str, list[tuple[float | None, str]]]:
        """What is broken, with the first case in words at each level."""
        names = _in_order(name for level in self.levels for name in level.faults)
        return {
            name: [(one.level, one.faults[name]) for one in self.levels if name in one.faults]
            for name in names
        }

    @property
    def broken(self) -> dict[str, str | None]:
        """The broken rules, and why the task may break them; None: it may not."""
        found: dict[str, str | None] = {}
        for name in self.faults:
            rule, why = rule_of(name), self.why(name)
            found[rule] = found.get(rule, why) and why
        return found

    def why(self, name: str) -> str | None:
        """Return why the task may break this; None: it may not."""
        return self.accepted.get(name) or self.accepted.get(rule_of(name))

    @property
    def is_healthy(self) -> bool:
        return None not in self.broken.values()


def rule_of(name: str) -> str:
    """Return the rule of what is broken, such as ``wrong: order``."""
    return name.partition(":")[0]


def _in_order(names: Iterable[str]) -> list[str]:
    return sorted(dict.fromkeys(names), key=lambda name: [*RULES].index(rule_of(name)))


async def check_task(
    task: str, pools: Pools, *, levels: Sequence[float | None], seeds: int, problems: str
) -> TaskReport:
    """Check one task at `levels`, with library's or hardened problems of so many seeds each.

    The trial of a user's own task has reference answers scored that no served problem would show.
    """
    accepted: dict[str, str] = {}
    reports = []
    for level in levels:
        where = f"{task} at level {level_name(level)}"
        with say_if_slow(f"Making problems of {where}"):
            made, failed = await _make_all(task, level, pools, seeds, problems)
        try:
            with say_if_slow(f"Scoring answers to {where}"):
                faults = await _level_faults(made, failed, pools, accepted)
        except TimeoutError as error:
            reports.append(LevelReport(level, made, {"record": str(error)}))
            break
        if task in pools.tested.own_tasks:
            try:
                trial = await pools.tested.attempt(
                    task, level, references=seeds, limit=MAX_MAKE_SECONDS
                )
            except MakeFailed as error:
                trial = f"its trial failed: {error}"
            if fault := trial or _record_fault(made, accepted):
                faults["record"] = fault
        reports.append(LevelReport(level, made, faults))
    report = TaskReport(task, reports, pools.tested.coverage.state(task), accepted)
    if fault := _constant_fault(report.checked):
        reports[0].faults.setdefault("blind", fault)
    return report


async def _make_all(
    task: str, level: float | None, pools: Pools, seeds: int, problems: str
) -> tuple[list[Checked], list[str]]:
    """Return problems, and why others can't be made."""
    made: list[Checked] = []
    failed: list[str] = []
    deadline = time.perf_counter() + MAX_MAKE_SECONDS
    for seed in range(seeds):
        began = time.perf_counter()
        if began > deadline and seed >= REMADE:
            break
        make = pools.tested.make(task, seed, level=level, select=True, problems=problems)
        try:
            problem = await make
        except MakeFailed as error:
            failed.append(f"seed {seed}: {error}")
            continue
        seconds = time.perf_counter() - began
        made.append(Checked(problem, seconds, await _reference(problem, pools.tested)))
        if seed < REMADE and not await _is_remade(problem, pools.remaking):
            made[-1].faults["remake"] = f"another worker makes another problem of seed {seed}"
    return made, failed


async def _reference(problem: Problem, pool: WorkerPool) -> str | None:
    try:
        return await pool.solve(problem) if problem.answer is None else problem.answer
    except MakeFailed:  # the search took too long, so no answer is known
        return None


async def _is_remade(problem: Problem, pool: WorkerPool) -> bool:
    try:
        remade = await pool.make(**problem.recipe)
    except MakeFailed:
        return False
    return (remade.question, remade.answer) == (problem.question, problem.answer)


async def _level_faults(
    made: Sequence[Checked], failed: Sequence[str], pools: Pools, accepted: dict[str, str]
) -> dict[str, str]:
    """Return the broken rules, and note in `accepted` what the record of the task accepts."""
    faults: dict[str, str] = {}
    winnable = [one for one in made if one.problem.winnable]
    references = [one.reference for one in winnable if one.reference is not None]
    total = len(made) + len(failed)
    constants = constant_answers(references)
    if not winnable or len(failed) > MAX_FAILED * total:
        reason = f" ({failed[0]})" if failed else ""
        faults["made"] = f"{len(winnable)} of {total} problems can be won{reason}"
    try:
        for one in winnable:
            await _check(one, references, constants, pools)
            accepted |= (await pools.tested.inspect(one.problem)).accepted
        if winnable and (text := await _blind_fault(winnable, constants, pools)):
            faults["blind"] = text
    except MakeFailed as error:  # functions of the record fail or hang
        faults["record"] = f"nothing can be checked: {error}"
    for name in _in_order(name for one in made for name in one.faults):
        cases = [one.faults[name] for one in made if name in one.faults]
        count = f"{len(cases)} of {len(made)} problems: "
        faults[name] = cases[0] if name == "record" else f"{count}{cases[0]}"
    return faults


async def _check(
    one: Checked, references: Sequence[str], constants: Sequence[str], pools: Pools
) -> None:
    """Have all answers to a problem scored, and note which rules they break."""
    problem, reference = one.problem, one.reference
    cases = [("junk", *case) for case in junk_answers(problem.question, reference, references)]
    if reference:  # the pool rejects an empty one without asking the verifier
        cases += [("oracle", "the reference answer", reference)]
        cases += [("form", *case) for case in written(reference).items()]
        cases += [("wrong", *case) for case in near_misses(reference, references)]
        cases += [("wrong", *case) for case in copied(problem.question, reference)]
    texts = list(dict.fromkeys([*(text for _, _, text in cases), *constants]))
    began = time.perf_counter()
    verdicts = await _verdicts(problem, texts, pools.tested)
    one.score_seconds = (time.perf_counter() - began) / len(texts)
    scores = {text: verdict.score for text, verdict in verdicts.items()}
    right = {text for rule, _, text in cases if rule in ("oracle", "form")}
    one.scores = {text: score for text, score in scores.items() if text not in right}
    full = [text for rule, _, text in cases if rule == "wrong" and scores[text] >= FULL_MARKS]
    pardoned = await _pardoned(problem, full, pools)
    for rule, kind, text in cases:
        breaks = scores[text] >= LIMITS[rule] if rule in LIMITS else scores[text] < FULL_MARKS
        name = f"{rule}: {kind}" if rule == "wrong" and problem.is_own else rule
        is_told = name in one.faults or (rule == "form" and "oracle" in one.faults)
        if breaks and not is_told and (rule != "wrong" or text not in pardoned):
            shown, right_one = quoted_apart(text, reference or text)
            earned = f"{shown} earns {scores[text]:.2f}"
            earned += f" for {right_one}" if reference and text != reference else ""
            told = f"{kind} {earned}" if name == rule else earned
            one.faults[name] = f"{told}, seed {problem.seed}"
    if problem.is_own and (failing := [t for t, v in verdicts.items() if not v.reflects_model]):
        reason = verdicts[failing[0]].detail or verdicts[failing[0]].kind
        one.faults["record"] = (
            f"its verifier fails on the answer {quoted(failing[0], 60)}: {reason}"
        )


async def _verdicts(problem: Problem, texts: Sequence[str], pool: WorkerPool) -> dict[str, Verdict]:
    """Have texts scored; TimeoutError if a user's verifier hangs on one, as it may on each."""
    verdicts: dict[str, Verdict] = {}
    for some in [[text] for text in texts] if problem.is_own else [texts]:
        verdicts |= zip(some, await pool.score(problem, some), strict=True)
        if problem.is_own and verdicts[some[0]].kind == "timeout":
            raise TimeoutError(f"its verifier takes too long on the answer {quoted(some[0], 60)}")
    return verdicts


async def _pardoned(problem: Problem, texts: Sequence[str], pools: Pools) -> Collection[str]:
    """Return the texts that the other verifiers give 1.0, too; none for a user's own task."""
    if problem.is_own or not texts:
        return ()
    verdicts = await pools.other_verifiers.score(problem, texts)
    return {text for text, one in zip(texts, verdicts, strict=True) if one.score >= FULL_MARKS}


async def _blind_fault(checked: Sequence[Checked], constants: Sequence[str], pools: Pools) -> str:
    """Describe a constant that earns too much; of few problems, one may earn it by chance."""
    slack = max(MAX_EXCESS, 1 / len(checked) if len(checked) > 1 else 0.0) + 1e-9
    counts = Counter(one.reference for one in checked if one.reference is not None)
    top = max(counts.values(), default=0) / max(1, counts.total())
    for text in constants:
        mean = fmean(one.scores.get(text, 1.0) for one in checked)
        if mean > top + slack:
            share = fmean([await _is_right(text, one, pools) for one in checked])
            if mean > max(top, share) + slack:
                return f"{quoted(text)} earns {mean:.2f} and is right for {share:.2f} of them"
    return ""


def _constant_fault(checked: Sequence[Checked]) -> str:
    """Describe an answer that is right for all problems of a task, if there is one."""
    questions = {one.problem.question for one in checked}
    answers = {one.reference for one in checked}
    if len(questions) > REMADE and len(answers) == 1 and (answer := answers.pop()) is not None:
        return f"all {len(checked)} problems have the answer {quoted(answer)}"
    return ""


async def _is_right(text: str, one: Checked, pools: Pools) -> bool:
    """Return whether a constant is the reference answer, or both verifiers give it 1.0."""
    if one.reference is not None and same_answer(text, one.reference):
        return True
    full = one.scores.get(text, 1.0) >= FULL_MARKS
    return full and bool(await _pardoned(one.problem, [text], pools))


def _record_fault(made: Sequence[Checked], accepted: Mapping[str, str]) -> str:
    """Return what problems show to be wrong with the record of a user's own task."""
    if unknown := [name for name in accepted if rule_of(name) not in RULES]:
        rules = f"{', '.join(RULES)}, or kinds such as 'wrong: order'"
        return f"`accepted` of its record names {min(unknown)!r}; `validate` knows {rules}"
    families = {one.problem.family for one in made}
    questions = {one.problem.question for one in made}
    if len(questions) == 1 and len(made) > REMADE:
        return f"all {len(made)} problems are the same: take random numbers from the seed and idx"
    if len(questions) > REMADE and len(families) == 1:
        words = {tuple(sorted(re.findall(r"\w+", question.casefold()))) for question in questions}
        if len(words) > 1:  # without a `family`, these would tell them apart
            same, remedy = "`family` of its record is the same for all", "return from it"
        else:
            same = "all questions have the same words and numbers"
            remedy = "give the record a `family` that returns"
        return f"{same}, so all or none are held out: {remedy} what tells problems apart"
    return ""
