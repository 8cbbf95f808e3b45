"""The results of an evaluation by problem, groups of them, and why completions have none."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import comb
from statistics import fmean
from typing import TypeVar

from rgenv.dialogue.formats import SHIPPED
from rgenv.dialogue.reading import Reading
from rgenv.measured import blind_share
from rgenv.rollouts.metrics import FORMATS, Format, format_of
from rgenv.rollouts.rewards import CORRECT
from rgenv.stream.held_out import few_families
from rgenv.text import counted, level_name
from rgenv.types import SOLVED, Sample

MOST_REASONS = 8
"""The most reasons of failures that a note names."""

T = TypeVar("T")


@dataclass(frozen=True)
class ProblemResult:
    """The scored completions of one problem; there is at least one."""

    problem_id: str
    task: str
    category: str
    level: float | None
    question: str
    family: int  # the same for problems that only their symmetries tell apart; 0: unknown
    blind: float  # share of such problems that the best blind policy solves (measured.py)
    scores: tuple[float, ...]  # in ascending order
    formats: Mapping[Format, float]  # share of completions with each format
    truncation_rate: float

    @property
    def level_name(self) -> str:
        return level_name(self.level)

    @cached_property
    def mean_score(self) -> float:
        return fmean(self.scores)

    @cached_property
    def accuracy(self) -> float:
        return sum(score >= SOLVED for score in self.scores) / len(self.scores)

    @cached_property
    def kin(self) -> Hashable:
        """The same for problems that may be solved together: of one family, task and level."""
        return self.task, self.level, self.family or self.problem_id

    @property
    def percent_correct(self) -> float:
        return fmean(score >= CORRECT for score in self.scores)

    def pass_at(self, k: int) -> float:
        """Return the chance that at least one of k completions solves the problem.

        The unbiased estimator of Chen et al. 2021. If fewer than k completions were scored, all
        of them are drawn.
        """
        count = len(self.scores)
        unsolved = sum(score < SOLVED for score in self.scores)
        k = min(k, count)
        return 1.0 - comb(unsolved, k) / comb(count, k)


def problem_id_of(sample: Sample) -> str:
    return str(sample["id"]).rpartition("/")[0]


def problem_results(samples: Iterable[Sample]) -> list[ProblemResult]:
    """Collect scored samples by problem, problems in the order of their ids."""
    by_problem: dict[str, list[Sample]] = {}
    for sample in samples:
        if "score" in sample:
            by_problem.setdefault(problem_id_of(sample), []).append(sample)
    return [_problem_result(name, members) for name, members in sorted(by_problem.items())]


def _problem_result(name: str, members: Sequence[Sample]) -> ProblemResult:
    first, cuts = members[0], [sample["finish_reason"] == "length" for sample in members]
    found = [format_of(s["verdict"], truncated=cut) for s, cut in zip(members, cuts, strict=True)]
    return ProblemResult(
        problem_id=name,
        task=first["task"],
        category=first["category"],
        level=first["level"],
        question=first["question"],
        family=first.get("family", 0),
        # The shares were measured on the problems of covered tasks.
        blind=blind_share(first["task"], first["level"]) if first.get("covered", True) else 0.0,
        scores=tuple(sorted(float(sample["score"]) for sample in members)),
        formats={one: found.count(one) / len(members) for one in FORMATS},
        truncation_rate=sum(cuts) / len(cuts),
    )


def failures_as_unsolved(samples: Iterable[Sample]) -> list[Sample]:
    """Return the samples; one without a score gets 0."""
    unsolved = {"score": 0.0, "verdict": "failed", "finish_reason": "failed"}
    return [sample if "score" in sample else {**sample, **unsolved} for sample in samples]


# Why there is no answer, or no completion


INSTEAD = {
    "empty": "the server returned no text",
    "refused": "the server returned a refusal",
    "tool_call": "the server returned a call of a tool",
}
"""Kind of verdict -> what there is instead of a completion."""


def notes(samples: Iterable[Sample]) -> list[str]:
    """Return sentences that say why completions have no answer, which format would read one, and
    why samples failed."""
    why, otherwise, failures = Counter[str](), Counter[str](), Counter[str]()
    for sample in samples:
        if "error" in sample:
            failures[sample["error"]] += 1
        elif sample["verdict"] in INSTEAD:
            why[INSTEAD[sample["verdict"]]] += 1
        elif sample["verdict"] == "no_answer":
            reading, text = Reading.of_recipe(sample["recipe"]), sample["messages"][-1]["content"]
            why[reading.violation(text) or "the answer is empty"] += 1
            others = [name for name, one in SHIPPED.items() if one != reading.format]
            otherwise.update(
                name for name in others if replace(reading, format=SHIPPED[name]).answer(text)
            )
    lacking = counted(why.total(), "completion has no answer", "completions have no answer")
    failed = counted(failures.total(), "sample")
    return [
        *([f"{lacking}: {_counted(why)}."] if why else []),
        *(
            f"{counted(n, 'of them has', 'of them have')} one by --env.answer_format {name}."
            for name, n in otherwise.items()
        ),
        *([f"{failed} failed: {_counted(failures)}."] if failures else []),
    ]


def _counted(reasons: Counter[str]) -> str:
    named = reasons.most_common(MOST_REASONS)
    others = reasons.total() - sum(n for _, n in named)
    shown = [f"{reason} ({n})" for reason, n in named]
    return ", ".join([*shown, *([f"others ({others})"] if others else [])])


# Groups of problems


def with_few_families(results: Sequence[ProblemResult]) -> list[ProblemResult]:
    """Return the results of such tasks and levels; one whose family is unknown has its own."""
    few = few_families((result.task, result.level, result.kin) for result in results)
    return [result for result in results if (result.task, result.level) in few]


def grouped(results: Iterable[T], key: Callable[[T], str]) -> dict[str, list[T]]:
    """Return results by a text of theirs, in its order."""
    groups: dict[str, list[T]] = {}
    for result in results:
        groups.setdefault(key(result), []).append(result)
    return dict(sorted(groups.items()))
