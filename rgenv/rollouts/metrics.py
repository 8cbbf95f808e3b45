"""Training metrics: groups and counts are added, and a flat dict is taken at each report.

::

    metrics = TrainMetrics({"gcd": "arithmetic"})
    metrics.group("gcd", Outcomes(scores=[1.0, 0.0], rewards=[0.9, 0.0],
                                  kinds=["scored", "no_answer"], truncated=[False, False],
                                  tokens=[30, 12], informative=[True, True]))
    metrics.count("failed_groups")
    metrics.take()    # {"train/failed_groups": 1, "train/accuracy": 0.5, "train/gcd/reward": ...}

`DESCRIPTIONS` explains every metric that the environment logs.

Not here: averages over several reports.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

from rgenv.rollouts.rewards import CORRECT, SOLVED

_RATES = {
    "score": "Mean score of the verifier.",
    "reward": "Mean reward: the score after the length penalty.",
    "accuracy": "Share of completions that solved their problem (score at least 0.99).",
    "format_rate": "Share of completions with an answer in the required format.",
    "truncation_rate": "Share of completions that were cut at the token limit.",
    "informative_rate": "Share of groups whose rewards differ.",
    "informative_tokens": "Share of completion tokens in groups whose rewards differ.",
}
_SCOPES = {"train": "", "train/<task>": "one task", "train/category/<category>": "one category"}


def _rate_descriptions() -> dict[str, str]:
    return {
        f"{prefix}/{rate}": f"{text[:-1]}, for {scope}." if scope else text
        for prefix, scope in _SCOPES.items()
        for rate, text in _RATES.items()
    }


DESCRIPTIONS: Mapping[str, str] = {
    **_rate_descriptions(),
    "train/percent_correct": "Share of completions with a score of at least 0.5.",
    "train/<task>/groups": "Scored groups of one task.",
    "train/failed_groups": "Requests for a group that failed; the problem is asked again later.",
    "train/items_given_up": "Problems dropped after several failed requests while others worked.",
    "train/generations_cancelled": "Groups that Atropos cancelled before all completions came.",
    "train/prompt_too_long": "Problems whose prompt leaves no room for a completion.",
    "train/not_made/timeout": "Problems not served because the generator overran its time.",
    "train/not_made/crashed": "Problems not served because the generator ended its worker.",
    "train/not_made/error": "Problems not served because the generator raised an exception.",
    "train/not_made/unwinnable": "Problems not served because the verifier rejects the reference "
    "answer.",
    "train/not_made/question_too_long": "Problems not served because the question is too long.",
    "train/verifier_errors": "Answers on which a verifier raised an exception.",
    "train/groups_skipped": "Groups that Atropos did not send: equal scores, or too long.",
    "train/items_sent_to_api": "Groups that the rollout API accepted.",
    "train/groups_refused": "Groups that the rollout API rejected, since the start.",
    "train/groups_not_delivered": "Groups lost because the rollout API was unavailable, since the "
    "start.",
    "train/registered_again": "Registrations after the rollout API was restarted.",
    "train/dumps_waiting": "Groups that wait in memory for the disk.",
    "train/dumps_not_written": "Groups missing from the dumps because the disk refused, since the "
    "start.",
    "train/rollouts": "A table of recent completions with their scores.",
    "verdicts/<kind>": "Verdicts of one kind.",
    "verdicts/<task>/<kind>": 'Verdicts of one kind for one task, without the kind "scored".',
    "pool/worker_restarts": "Workers that were replaced, since the start.",
    "curriculum/total_tasks_tracked": "Tasks that have a level in the curriculum.",
    "curriculum/target_accuracy": "The accuracy that the curriculum aims at.",
    "curriculum/avg_complexity": "Mean level over the tasks, in [0, 1].",
    "curriculum/min_complexity": "Lowest level of a task, in [0, 1].",
    "curriculum/max_complexity": "Highest level of a task, in [0, 1].",
    "eval/accuracy": "Share of solved completions (score at least 0.99), per problem first.",
    "eval/mean_score": "Mean score, per problem first.",
    "eval/percent_correct": "Share of completions with a score of at least 0.5, per problem first.",
    "eval/mean@<K>": "Accuracy over all K completions of each problem.",
    "eval/pass@<k>": "Chance that at least one of k completions solves the problem.",
    "eval/format_rate": "Share of completions with an answer in the required format.",
    "eval/truncation_rate": "Share of completions that were cut at the token limit.",
    "eval/mean_tokens": "Mean length of a completion in tokens.",
    "eval/items": "Problems in the evaluation.",
    "eval/completions": "Completions in the evaluation, failed requests included.",
    "eval/errors": "Completions without a score because their request failed.",
    "eval/verdicts/<kind>": "Verdicts of one kind.",
    "eval/verdicts/<task>/<kind>": 'Verdicts of one kind for one task, without the kind "scored".',
    "eval/category/<category>/accuracy": "Accuracy of one category.",
    "eval/category/<category>/mean_score": "Mean score of one category.",
    "eval/level/<level>/accuracy": "Accuracy at one level.",
    "eval/level/<level>/mean_score": "Mean score at one level.",
    "eval/<task>/accuracy": "Accuracy of one task.",
    "eval/<task>/score": "Mean score of one task.",
}
"""Metric -> one sentence about it.

A word in angle brackets stands for any name. Training metrics count from one report to the next
unless the sentence says otherwise. Of an evaluation's accuracies, mean scores and the pass@ of
all completions there are also ``_low`` and ``_high``: the ends of a 95 % interval.
"""


@dataclass(frozen=True)
class Outcomes:
    """The outcomes of completions as parallel columns.

    Args:
        scores: from the verifier.
        rewards: for the trainer.
        kinds: of the verdicts.
        truncated: whether the completion was cut at the token limit.
        tokens: length of the completion.
        informative: whether the rewards of the completion's group differ.

    Raises:
        ValueError: the columns differ in length.
    """

    scores: Sequence[float]
    rewards: Sequence[float]
    kinds: Sequence[str]
    truncated: Sequence[bool]
    tokens: Sequence[int]
    informative: Sequence[bool]

    def __post_init__(self) -> None:
        if len({len(getattr(self, field.name)) for field in fields(self)}) > 1:
            raise ValueError(f"{', '.join(field.name for field in fields(self))} differ in length")

    @classmethod
    def joined(cls, parts: Sequence[Outcomes]) -> Outcomes:
        """Return all parts as one."""
        return cls(*([v for part in parts for v in getattr(part, f.name)] for f in fields(cls)))

    def rates(self) -> dict[str, float]:
        """Return the mean of each rate over all completions.

        All groups have the same size, so this is also the mean over groups.
        """
        informative_tokens = sum(
            tokens
            for tokens, informative in zip(self.tokens, self.informative, strict=True)
            if informative
        )
        return {
            "score": _mean(self.scores),
            "reward": _mean(self.rewards),
            "accuracy": _mean([score >= SOLVED for score in self.scores]),
            "format_rate": _mean([kind != "no_answer" for kind in self.kinds]),
            "truncation_rate": _mean(self.truncated),
            "informative_rate": _mean(self.informative),
            "informative_tokens": informative_tokens / max(1, sum(self.tokens)),
        }


class TrainMetrics:
    """Collects groups and counts between two calls of `take`.

    Args:
        categories: task -> category; tasks that are missing belong to "other".
    """

    def __init__(self, categories: Mapping[str, str] | None = None) -> None:
        self.categories = dict(categories or {})
        self._groups: dict[str, list[Outcomes]] = {}
        self._counts: Counter[str] = Counter()

    def group(self, task: str, outcomes: Outcomes) -> None:
        """Add one scored group."""
        self._groups.setdefault(task, []).append(outcomes)

    def count(self, name: str, number: int = 1) -> None:
        """Add to the count that is reported as ``train/<name>``."""
        self._counts[name] += number

    def take(self) -> dict[str, float]:
        """Return all metrics since the last call and start anew."""
        groups, counts = self._groups, self._counts
        self._groups, self._counts = {}, Counter()
        out: dict[str, float] = {f"train/{name}": number for name, number in counts.items()}
        by_task = {task: Outcomes.joined(parts) for task, parts in groups.items()}
        if by_task:
            total = Outcomes.joined(list(by_task.values()))
            out |= _rates("train", total)
            out["train/percent_correct"] = _mean([score >= CORRECT for score in total.scores])
            out |= verdict_metrics({task: outcomes.kinds for task, outcomes in by_task.items()})
        for task, outcomes in by_task.items():
            out |= _rates(f"train/{task}", outcomes)
            out[f"train/{task}/groups"] = len(groups[task])
        for category, parts in self._by_category(by_task).items():
            out |= _rates(f"train/category/{category}", Outcomes.joined(parts))
        return out

    def _by_category(self, by_task: Mapping[str, Outcomes]) -> dict[str, list[Outcomes]]:
        categories: dict[str, list[Outcomes]] = {}
        for task, outcomes in by_task.items():
            categories.setdefault(self.categories.get(task, "other"), []).append(outcomes)
        return categories


def verdict_metrics(kinds: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """Count verdicts: ``verdicts/<kind>``, and ``verdicts/<task>/<kind>`` except "scored".

    Args:
        kinds: task -> the kinds of its verdicts.
    """
    totals = Counter(kind for task_kinds in kinds.values() for kind in task_kinds)
    out: dict[str, float] = {f"verdicts/{kind}": number for kind, number in totals.items()}
    for task, task_kinds in kinds.items():
        unscored = Counter(kind for kind in task_kinds if kind != "scored")
        out |= {f"verdicts/{task}/{kind}": number for kind, number in unscored.items()}
    return out


def _rates(prefix: str, outcomes: Outcomes) -> dict[str, float]:
    return {f"{prefix}/{name}": value for name, value in outcomes.rates().items()}


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
