"""The measurements of a task, and the rules that decide whether the task is healthy.

::

    report = TaskReport("gcd", "arithmetic", (level, ...))
    [str(fault) for fault in report.faults]
    # ["blind: '2' earns 0.45 and is right for 0.30 of the problems at the defaults"]

The verifier of a healthy task gives a reference answer 1.0, a wrong answer less than half and junk
next to nothing. A right answer earns 1.0 however it is written. No constant answer scores more on
average than the share of problems for which it is right, no answer is right for most problems, and
no shortcut or surface of the question gives more answers away than the most frequent one. Problems
take more work from level to level. A recipe makes the same problem in every worker.

Not here: generating and scoring the answers (probe.py). Nothing in this module runs anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Literal

from rgenv.measured import PromptTokens
from rgenv.pool.coverage import State
from rgenv.validation import rules
from rgenv.validation.constants import Constant
from rgenv.validation.measures import Policy, Share, Work, first_fall
from rgenv.validation.rules import Rule
from rgenv.validation.same_answers import level_in_words, normalized, quoted

RewardKind = Literal["binary", "floor", "partial"]


@dataclass(frozen=True)
class Attempt:
    """An answer that was generated for one problem, and its score.

    Attributes:
        kind: how the answer was generated, such as ``digit`` or ``echo``.
        right: whether the other verifiers, too, give it 1.0. A changed reference answer may be
            another right one.
    """

    kind: str
    answer: str = field(repr=False)
    score: float
    right: bool = False


@dataclass(frozen=True)
class ProblemReport:
    """One problem, and the scores of the answers generated for it.

    Attributes:
        prompt_tokens: about how many tokens the prompt has, system prompt included.
        make_seconds: how long the problem took to make.
        remade: whether another worker made the same problem from its recipe.
        winnable: whether the verifier accepts any answer; if not, no answer was scored.
        reference: the reference answer; None if none is known.
        reference_score: its score; None if it was not scored.
        score_seconds: how long scoring it took.
        wrong: answers that look like the reference answer.
        junk: texts that are no answers.
    """

    seed: int
    prompt_tokens: int
    make_seconds: float
    remade: bool
    winnable: bool = True
    reference: str | None = field(default=None, repr=False)
    reference_score: float | None = None
    score_seconds: float | None = None
    wrong: tuple[Attempt, ...] = ()
    junk: tuple[Attempt, ...] = ()

    @property
    def attempts(self) -> tuple[Attempt, ...]:
        """Wrong answers and junk."""
        return self.wrong + self.junk


@dataclass(frozen=True)
class LevelReport:
    """A task at one level.

    Attributes:
        level: the difficulty; None for the task's defaults.
        problems: those that could be made, by seed.
        failed: why the others could not be made, one text each.
        constant: the constant with the greatest excess.
        partial_constant: whether a constant scored more than `FLOOR` and less than 1.0.
        forms: form of a right answer -> the share of its answers that earn 1.0.
        refused: one right answer that earned less, of each form that has any.
        shortcut: the rule that answers the most problems without solving them.
        top_answer: the most frequent reference answer.
        tell: how much better than the top answer a classifier of the question's surface is.
        tell_error: the standard error of `tell`.
        work: the work that the problems take; None if it is not known.
    """

    level: float | None
    problems: tuple[ProblemReport, ...] = ()
    failed: tuple[str, ...] = ()
    constant: Constant | None = None
    partial_constant: bool = False
    forms: Mapping[str, Share] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)
    shortcut: Policy | None = None
    top_answer: Policy | None = None
    tell: float | None = None
    tell_error: float = 0.0
    work: Work | None = None

    @property
    def recall(self) -> Share:
        """The share of right answers in other forms that earn 1.0."""
        shares = self.forms.values()
        return Share(sum(s.count for s in shares), sum(s.total for s in shares))

    @property
    def top_share(self) -> float:
        """The share of the most frequent reference answer; 0.0 if no answer is known."""
        return self.top_answer.solved.value if self.top_answer is not None else 0.0

    @property
    def shortcut_excess(self) -> float:
        """The difference between the best shortcut's share and the top answer's."""
        return self.shortcut.solved.value - self.top_share if self.shortcut is not None else 0.0

    @property
    def attempted(self) -> int:
        """The number of problems that were to be made."""
        return len(self.problems) + len(self.failed)

    @property
    def winnable(self) -> int:
        """The number of problems that can be won."""
        return sum(problem.winnable for problem in self.problems)

    @property
    def works(self) -> bool:
        """Whether winnable problems are made, and few fail."""
        return self.winnable > 0 and len(self.failed) <= rules.MAX_FAILED * self.attempted


@dataclass(frozen=True)
class Fault:
    """A rule that is broken at one level, and the worst case in words."""

    rule: Rule
    level: float | None
    text: str

    def __str__(self) -> str:
        return f"{self.rule}: {self.text} at {level_in_words(self.level)}"


@dataclass(frozen=True)
class TaskReport:
    """A task at all its levels; one of its problems: question, answer and clarification.

    Attributes:
        coverage: whether our corrections apply to the task.
        accepted: rule that the task may break -> why.
    """

    task: str
    category: str
    levels: tuple[LevelReport, ...]
    question: str = field(default="", repr=False)
    answer: str | None = field(default=None, repr=False)
    clarification: str = ""
    coverage: State = "covered"
    accepted: Mapping[str, str] = field(default_factory=dict)

    @property
    def problems(self) -> list[ProblemReport]:
        """The problems of all levels."""
        return [problem for level in self.levels for problem in level.problems]

    @cached_property
    def faults(self) -> list[Fault]:
        """The broken rules of all levels."""
        found = [fault for level in self.levels for fault in level_faults(level)]
        return found + list(_work_faults(self.levels))

    @property
    def broken(self) -> list[Rule]:
        """The broken rules, each once."""
        return list(dict.fromkeys(fault.rule for fault in self.faults))

    @property
    def unexplained(self) -> list[Fault]:
        """The faults that are not accepted."""
        return [fault for fault in self.faults if fault.rule not in self.accepted]

    @property
    def healthy(self) -> bool:
        """Whether every broken rule is accepted."""
        return not self.unexplained

    @property
    def working_levels(self) -> list[float | None]:
        """The levels at which the task makes winnable problems."""
        return [level.level for level in self.levels if level.works]

    @property
    def constant(self) -> Constant | None:
        """The constant with the greatest excess at any level."""
        found = [level.constant for level in self.levels if level.constant is not None]
        return max(found, key=lambda constant: constant.excess, default=None)

    @property
    def reward_kind(self) -> RewardKind:
        """Whether scores were 0 or 1, a little for any attempt, or credit by degrees."""
        scores = [attempt.score for problem in self.problems for attempt in problem.attempts]
        by_degrees = any(rules.FLOOR < score < rules.FULL_MARKS for score in scores)
        if by_degrees or any(level.partial_constant for level in self.levels):
            return "partial"
        return "floor" if any(0 < score < rules.FULL_MARKS for score in scores) else "binary"

    @property
    def prompt_tokens(self) -> PromptTokens:
        """About how many tokens the prompts have, over all levels; 0 if there are none."""
        return PromptTokens.of([problem.prompt_tokens for problem in self.problems] or [0])


def level_faults(level: LevelReport) -> Iterator[Fault]:
    """Yield a fault for each rule that is broken at one level."""
    texts: dict[Rule, str | None] = {
        "made": _making_fault(level),
        "oracle": _reference_fault(level.problems),
        "wrong": _wrong_fault(level.problems),
        "form": _form_fault(level),
        "shortcut": _shortcut_fault(level),
        "constant": _top_answer_fault(level.top_answer),
        "tell": _tell_fault(level),
        "near": _high_wrong_scores(level.problems, near=True),
        "junk": _junk_fault(level.problems),
        "blind": _blind_fault(level),
        "remake": _remake_fault(level.problems),
    }
    for rule, text in texts.items():
        if text is not None:
            yield Fault(rule, level.level, text)


def _making_fault(level: LevelReport) -> str | None:
    if level.works:
        return None
    reason = f" ({level.failed[0]})" if level.failed else ""
    return f"{level.winnable} of {level.attempted} problems can be won{reason}"


def _reference_fault(problems: Sequence[ProblemReport]) -> str | None:
    low = [
        (problem.reference_score, problem.seed)
        for problem in problems
        if problem.reference_score is not None and problem.reference_score < rules.FULL_MARKS
    ]
    if not low:
        return None
    score, seed = min(low, key=lambda pair: pair[0])
    return (
        f"the reference answers of {len(low)} of {len(problems)} problems earn less than 1.0 "
        f"({score:.2f} for seed {seed})"
    )


def _wrong_fault(problems: Sequence[ProblemReport]) -> str | None:
    high = _high_wrong_scores(problems, near=False)
    if high:
        return high
    attempts = [attempt for problem in problems for attempt in problem.wrong]
    for kind in rules.RIGHT_ONLY_BY_CHANCE:
        right = [attempt.right for attempt in attempts if attempt.kind == kind]
        if len(right) > 2 and sum(right) > rules.MAX_RIGHT_BY_CHANCE * len(right):
            return f"wrong answers of kind {kind!r} are right for {sum(right)} of {len(right)}"
    return None


def _high_wrong_scores(problems: Sequence[ProblemReport], *, near: bool) -> str | None:
    """Describe the wrong answers with too high a score: those that are near misses, or the rest."""
    wrong = [(problem, attempt) for problem in problems for attempt in problem.wrong]
    high = [
        (problem, attempt)
        for problem, attempt in wrong
        if attempt.score >= rules.WRONG_LIMIT
        and not attempt.right
        and _is_near_miss(problem, attempt) is near
    ]
    if not high:
        return None
    problem, worst = max(high, key=lambda pair: pair[1].score)
    return (
        f"{len(high)} of {len(wrong)} wrong answers earn {rules.WRONG_LIMIT} or more ({worst.kind} "
        f"{quoted(worst.answer)} {worst.score:.2f} for {quoted(problem.reference or '?')}, "
        f"seed {problem.seed})"
    )


def _is_near_miss(problem: ProblemReport, attempt: Attempt) -> bool:
    """Whether one part of an answer that is no number was changed, and it scores below 1.0."""
    is_number = isinstance(normalized(problem.reference or ""), Fraction)
    return attempt.kind != "other" and attempt.score < rules.FULL_MARKS and not is_number


def _junk_fault(problems: Sequence[ProblemReport]) -> str | None:
    high = [
        (problem.seed, attempt)
        for problem in problems
        for attempt in problem.junk
        if attempt.score > rules.FLOOR + 1e-9
    ]
    if not high:
        return None
    seed, worst = max(high, key=lambda pair: pair[1].score)
    kinds = ", ".join(sorted({attempt.kind for _, attempt in high}))
    return (
        f"junk ({kinds}) earns more than {rules.FLOOR} on {len({seed for seed, _ in high})} of "
        f"{len(problems)} problems (at most {worst.score:.2f}, seed {seed})"
    )


def _blind_fault(level: LevelReport) -> str | None:
    """Describe a constant that earns too much; of few problems, one may earn it by chance."""
    constant = level.constant
    slack = max(rules.MAX_EXCESS, 1 / level.attempted if level.attempted > 1 else 0.0)
    if constant is None or constant.excess <= slack + 1e-9:
        return None
    return (
        f"{quoted(constant.answer)} earns {constant.mean:.2f} and is right for "
        f"{constant.share:.2f} of the problems"
    )


def _form_fault(level: LevelReport) -> str | None:
    recall = level.recall
    if not recall.total or recall.value >= rules.MIN_RECALL:
        return None
    refused = ", ".join(f"{name}: {quoted(text)}" for name, text in [*level.refused.items()][:2])
    return (
        f"{recall.total - recall.count} of {recall.total} right answers in other forms earn less "
        f"than 1.0 ({refused})"
    )


def _shortcut_fault(level: LevelReport) -> str | None:
    best = level.shortcut
    if best is None or best.solved.at_least <= level.top_share + rules.MAX_SHORTCUT:
        return None
    return (
        f"the rule {best.name!r} solves {best.solved.value:.2f} of the problems, the most frequent "
        f"answer {level.top_share:.2f}"
    )


def _top_answer_fault(top: Policy | None) -> str | None:
    if top is None or top.solved.at_least <= rules.MAX_TOP_ANSWER:
        return None
    return f"{quoted(top.name)} is the answer to {top.solved.value:.2f} of the problems"


def _tell_fault(level: LevelReport) -> str | None:
    if level.tell is None or level.tell - 2 * level.tell_error <= rules.MAX_TELL:
        return None
    return f"the question's surface predicts {level.tell:.2f} more answers than the top answer"


def _work_faults(levels: Sequence[LevelReport]) -> Iterator[Fault]:
    """Yield a fault if the work does not rise from level to level."""
    works = {one.level: one.work for one in levels if one.level is not None and one.work}
    fall = first_fall(works)
    if fall is not None:
        low, high = fall
        text = f"work does not rise: {works[low].mean:.3g} at level {low:g}, {works[high].mean:.3g}"
        yield Fault("work", high, text)


def _remake_fault(problems: Sequence[ProblemReport]) -> str | None:
    differing = [problem.seed for problem in problems if not problem.remade]
    return f"another worker makes another problem of seed {differing[0]}" if differing else None
