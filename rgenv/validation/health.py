"""The measurements of a task, and the rules that decide whether the task is healthy."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from rgenv.measured import PromptTokens
from rgenv.pool.coverage import State
from rgenv.types import SOLVED
from rgenv.validation.answers import normalized
from rgenv.validation.measures import Constant, Share, Work, first_fall
from rgenv.validation.programs import Program

RULES = {
    "record": "the record of a user's own task can be used",
    "made": "problems that can be won are made",
    "oracle": "a reference answer earns 1.0",
    "form": "a right answer earns 1.0 however it is written",
    "wrong": "a wrong answer earns less than half",
    "near": "so does a long answer with one changed part; grading by parts may pay on purpose",
    "junk": "a text that is no answer earns next to nothing",
    "blind": "no constant earns more than the share of problems for which it is right",
    "constant": "no answer is right for most problems",
    "shortcut": "no cheap program solves many more problems than the most frequent answer",
    "work": "problems take more work from level to level",
    "remake": "a recipe makes the same problem in every worker",
}
"""Rules, as the output names them, and what a healthy task does."""

FULL_MARKS = 1.0 - 1e-9
"""The lowest score that counts as 1.0."""
WRONG_LIMIT = 0.5
"""Wrong answers must score less than this."""
FLOOR = 0.05
"""The highest score that junk may get, and the highest that counts as a score for any attempt."""
MAX_EXCESS = 0.02
"""The maximum by which a constant's mean score may exceed the share of problems it is right for."""
MAX_FAILED = 0.1
"""The share of a level's problems whose generation may fail; the stream skips them."""
MIN_RECALL = 0.98
"""The lowest share of other forms of right answers that must earn 1.0."""
MAX_TOP_ANSWER = 0.6
"""The highest share of problems that have one reference answer."""
MAX_SHORTCUT = 0.15
"""The maximum by which a cheap program may solve more problems than the most frequent answer."""
RIGHT_ONLY_BY_CHANCE = ("other", "digit", "prefix")
"""Kinds of wrong answers that can't be right for most problems. In a set, a swap or a drop can."""
MAX_RIGHT_BY_CHANCE = 0.5
"""The share of wrong answers of such a kind that may be right."""


@dataclass(frozen=True)
class Attempt:
    """An answer that was generated for one problem, and its score.

    Attributes:
        kind: how the answer was generated, such as ``digit`` or ``echo``.
        right: whether it is right after all: a changed reference answer may be.
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
        remade: whether another worker made the same problem from its recipe, if it was asked.
        winnable: whether the verifier accepts any answer; if not, no answer was scored.
        reference: the reference answer; None if none is known.
        reference_score: its score; None if it was not scored.
        score_seconds: how long scoring an answer took, on average; likewise.
        forms: the reference answer in other forms, whose names are the kinds.
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
    forms: tuple[Attempt, ...] = ()
    wrong: tuple[Attempt, ...] = ()
    junk: tuple[Attempt, ...] = ()


@dataclass(frozen=True)
class LevelReport:
    """A task at one level.

    Attributes:
        level: the difficulty; None for the task's defaults.
        problems: those that could be made, by seed.
        failed: why the others could not be made, one text each.
        constant: the constant with the greatest excess.
        partial_constant: whether a constant scored more than `FLOOR` and less than 1.0.
        programs: the best cheap program of each kind, from the cheapest kind to the dearest.
        work: the work that the problems take; None if it is not known.
        record: what is wrong with the record of a user's own task; empty if nothing is.
    """

    level: float | None
    problems: tuple[ProblemReport, ...] = ()
    failed: tuple[str, ...] = ()
    constant: Constant | None = None
    partial_constant: bool = False
    programs: tuple[Program, ...] = ()
    work: Work | None = None
    record: str = ""

    @property
    def recall(self) -> Share:
        """The share of right answers in other forms that earn 1.0."""
        return Share(len(self.forms) - len(self.refused), len(self.forms))

    @property
    def forms(self) -> list[Attempt]:
        return [one for problem in self.problems for one in problem.forms]

    @property
    def refused(self) -> list[Attempt]:
        """Those of them that earn less than 1.0."""
        return [one for one in self.forms if one.score < SOLVED]

    @property
    def top_answer(self) -> Program | None:
        return next((one for one in self.programs if one.kind == "constant"), None)

    @property
    def top_share(self) -> float:
        """The share of the most frequent reference answer; 0.0 if no answer is known."""
        return self.top_answer.solved.value if self.top_answer else 0.0

    @property
    def shortcut(self) -> Program | None:
        """The cheapest program that solves too much; if there is none, the one that solves most."""
        others = [one for one in self.programs if one.kind != "constant"]
        limit = self.top_share + MAX_SHORTCUT
        cheapest = (one for one in others if one.solved.interval[0] > limit)
        return next(cheapest, max(others, key=lambda one: one.solved.value, default=None))

    @property
    def beyond(self) -> float:
        """How many more problems a cheap program solves than the most frequent answer."""
        best = max((one.solved.value for one in self.programs), default=0.0)
        return best - self.top_share

    @property
    def attempted(self) -> int:
        """The number of problems that were to be made."""
        return len(self.problems) + len(self.failed)

    @property
    def works(self) -> bool:
        """Whether winnable problems are made, and few fail."""
        winnable = any(problem.winnable for problem in self.problems)
        return winnable and len(self.failed) <= MAX_FAILED * self.attempted


@dataclass(frozen=True)
class Fault:
    """A rule that is broken at one level, and the worst case in words."""

    rule: str
    level: float | None
    text: str

    def __str__(self) -> str:
        return f"{self.rule}: {self.text} at {level_in_words(self.level)}"


@dataclass(frozen=True)
class TaskReport:
    """A task at all its levels.

    Attributes:
        coverage: whether our corrections apply to the task.
        accepted: rule that the task may break -> why.
    """

    task: str
    category: str
    levels: tuple[LevelReport, ...]
    coverage: State = "covered"
    accepted: Mapping[str, str] = field(default_factory=dict)

    @property
    def problems(self) -> list[ProblemReport]:
        return [problem for level in self.levels for problem in level.problems]

    @cached_property
    def faults(self) -> list[Fault]:
        found = [fault for level in self.levels for fault in _level_faults(level)]
        return found + list(_work_faults(self.levels))

    @property
    def broken(self) -> dict[str, str | None]:
        """The broken rules, and why the task may break them; None: it may not."""
        return {fault.rule: self.accepted.get(fault.rule) for fault in self.faults}

    @property
    def unexplained(self) -> list[Fault]:
        """The faults that are not accepted; of a healthy task there are none."""
        return [fault for fault in self.faults if fault.rule not in self.accepted]

    @property
    def working_levels(self) -> list[float | None]:
        return [level.level for level in self.levels if level.works]

    @property
    def reward_kind(self) -> str:
        """``binary``: scores are 0 or 1; ``floor``: a little for any attempt; or ``partial``."""
        attempts = [one for problem in self.problems for one in problem.wrong + problem.junk]
        by_degrees = any(FLOOR < one.score < FULL_MARKS for one in attempts)
        if by_degrees or any(level.partial_constant for level in self.levels):
            return "partial"
        return "floor" if any(0 < one.score < FULL_MARKS for one in attempts) else "binary"

    @property
    def prompt_tokens(self) -> PromptTokens:
        """About how many tokens the prompts have, over all levels; 0 if there are none."""
        return PromptTokens.of([problem.prompt_tokens for problem in self.problems] or [0])


def _level_faults(level: LevelReport) -> Iterator[Fault]:
    texts = {
        "record": level.record,
        "made": _making_fault(level),
        "oracle": _reference_fault(level.problems),
        "wrong": _high_wrong_scores(level.problems, near=False) or _chance_fault(level.problems),
        "form": _form_fault(level),
        "shortcut": _shortcut_fault(level),
        "constant": _top_answer_fault(level.top_answer),
        "near": _high_wrong_scores(level.problems, near=True),
        "junk": _junk_fault(level.problems),
        "blind": _blind_fault(level),
        "remake": _remake_fault(level.problems),
    }
    for rule, text in texts.items():
        if text:
            yield Fault(rule, level.level, text)


def _making_fault(level: LevelReport) -> str:
    if level.works:
        return ""
    reason = f" ({level.failed[0]})" if level.failed else ""
    winnable = sum(problem.winnable for problem in level.problems)
    return f"{winnable} of {level.attempted} problems can be won{reason}"


def _reference_fault(problems: Sequence[ProblemReport]) -> str:
    scores = [(p.reference_score, p.seed) for p in problems if p.reference_score is not None]
    low = [(score, seed) for score, seed in scores if score < FULL_MARKS]
    if not low:
        return ""
    score, seed = min(low)
    return (
        f"the reference answers of {len(low)} of {len(problems)} problems earn less than 1.0 "
        f"({score:.2f} for seed {seed})"
    )


def _high_wrong_scores(problems: Sequence[ProblemReport], *, near: bool) -> str:
    """Describe the wrong answers with too high a score: those that are near misses, or the rest."""
    wrong = [(problem, attempt) for problem in problems for attempt in problem.wrong]
    high = [
        (problem, attempt)
        for problem, attempt in wrong
        if attempt.score >= WRONG_LIMIT
        and not attempt.right
        and _is_near_miss(problem, attempt) is near
    ]
    if not high:
        return ""
    problem, worst = max(high, key=lambda pair: pair[1].score)
    return (
        f"{len(high)} of {len(wrong)} wrong answers earn {WRONG_LIMIT} or more ({worst.kind} "
        f"{quoted(worst.answer)} {worst.score:.2f} for {quoted(problem.reference or '?')}, "
        f"seed {problem.seed})"
    )


def _is_near_miss(problem: ProblemReport, attempt: Attempt) -> bool:
    """Whether one part of an answer that is no number was changed, and it scores below 1.0."""
    is_number = isinstance(normalized(problem.reference or ""), Fraction)
    return attempt.kind != "other" and attempt.score < FULL_MARKS and not is_number


def _chance_fault(problems: Sequence[ProblemReport]) -> str:
    for kind in RIGHT_ONLY_BY_CHANCE:
        right = [one.right for problem in problems for one in problem.wrong if one.kind == kind]
        if len(right) > 2 and sum(right) > MAX_RIGHT_BY_CHANCE * len(right):
            return f"wrong answers of kind {kind!r} are right for {sum(right)} of {len(right)}"
    return ""


def _junk_fault(problems: Sequence[ProblemReport]) -> str:
    high = [(one.score, p.seed, one) for p in problems for one in p.junk if one.score > FLOOR]
    if not high:
        return ""
    score, seed, worst = max(high, key=lambda found: found[:2])
    kinds = ", ".join(sorted({one.kind for *_, one in high}))
    return (
        f"junk ({kinds}) earns more than {FLOOR} on {len({seed for _, seed, _ in high})} of "
        f"{len(problems)} problems ({quoted(worst.answer)} {score:.2f}, seed {seed})"
    )


def _blind_fault(level: LevelReport) -> str:
    """Describe a constant that earns too much; of few problems, one may earn it by chance."""
    constant = level.constant
    slack = max(MAX_EXCESS, 1 / level.attempted if level.attempted > 1 else 0.0)
    if constant is None or constant.excess <= slack + 1e-9:
        return ""
    return (
        f"{quoted(constant.answer)} earns {constant.mean:.2f} and is right for "
        f"{constant.share:.2f} of the problems"
    )


def _form_fault(level: LevelReport) -> str:
    recall = level.recall
    if not recall.total or recall.value >= MIN_RECALL:
        return ""
    refused = {one.kind: quoted(one.answer) for one in level.refused}
    examples = ", ".join(f"{form}: {answer}" for form, answer in [*refused.items()][:2])
    return (
        f"{recall.total - recall.count} of {recall.total} right answers in other forms earn less "
        f"than 1.0 ({examples})"
    )


def _shortcut_fault(level: LevelReport) -> str:
    best = level.shortcut
    if best is None or best.solved.interval[0] <= level.top_share + MAX_SHORTCUT:
        return ""
    low, high = best.solved.interval
    return (
        f"{best} solves {best.solved.value:.2f} of the problems ({low:.2f} to "
        f"{high:.2f}), the most frequent answer {level.top_share:.2f}"
    )


def _top_answer_fault(top: Program | None) -> str:
    if top is None or top.solved.interval[0] <= MAX_TOP_ANSWER:
        return ""
    return f"{quoted(top.name)} is the answer to {top.solved.value:.2f} of the problems"


def _work_faults(levels: Sequence[LevelReport]) -> Iterator[Fault]:
    """Yield a fault if the work does not rise from level to level."""
    works = {one.level: one.work for one in levels if one.level is not None and one.work}
    fall = first_fall(works)
    if fall is not None:
        low, high = fall
        text = f"work does not rise: {works[low].mean:.3g} at level {low:g}, {works[high].mean:.3g}"
        yield Fault("work", high, text)


def _remake_fault(problems: Sequence[ProblemReport]) -> str:
    differing = [problem.seed for problem in problems if not problem.remade]
    return f"another worker makes another problem of seed {differing[0]}" if differing else ""


def level_in_words(level: float | None) -> str:
    """Return "the defaults" or, for example, "level 0.5"."""
    return "the defaults" if level is None else f"level {level:g}"


def quoted(text: str, length: int = 40) -> str:
    """Return `text` in quotes, on one line and cut to `length` characters."""
    shown = repr(text)
    return shown if len(shown) <= length else f"{shown[: length - 2]}…'"
