"""What happened since the last report: counters in, a flat dict of numbers out.

::

    metrics = TrainMetrics({"gcd": "arithmetic"})
    metrics.group("gcd", Outcomes(scores=[1.0, 0.0], rewards=[0.9, 0.0],
                                  kinds=["scored", "no_answer"], truncated=[False, False],
                                  tokens=[30, 12], informative=[True, True]))
    metrics.take()    # {"train/accuracy": 0.5, "train/gcd/reward": 0.45, ...}

The reward is what the trainer gets, with its penalties; the accuracy is the share of completions
that solved their problem. `informative_rate` is the share of groups whose rewards differ,
`informative_tokens` that of completion tokens in such groups: the rest taught nothing. Names are
those that people's dashboards know where there are such. No averages over time here.

What the environment counts besides (`train/`…): `not_made/<why>`, items that could not be made
(timeout, crashed, error) or were not asked (unwinnable, question_too_long); `prompt_too_long`, no
room for an answer; `failed_groups`, asked and nothing came; `items_given_up`, so often that they
are dropped; `generations_cancelled` by Atropos, paid for and thrown away; `verifier_errors`;
`registered_again`, after the rollout API was restarted; `dumps_waiting` for the disk.
`pool/worker_restarts` are workers replaced since the start.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

from rgenv.rollouts.rewards import CORRECT, SOLVED


@dataclass(frozen=True)
class Outcomes:
    """What became of completions: parallel columns.

    Args:
        scores: what the verifier gave.
        rewards: what the trainer gets.
        kinds: of the verdicts.
        truncated: which were cut by length.
        tokens: their lengths.
        informative: whether the rewards of their group differ.

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
        """All parts as one."""
        return cls(*([v for part in parts for v in getattr(part, f.name)] for f in fields(cls)))

    def rates(self) -> dict[str, float]:
        """Means over all completions; groups have one size, so a mean over groups is the same."""
        useful = sum(t for t, is_so in zip(self.tokens, self.informative, strict=True) if is_so)
        return {
            "score": _mean(self.scores),
            "reward": _mean(self.rewards),
            "accuracy": _mean([score >= SOLVED for score in self.scores]),
            "format_rate": _mean([kind != "no_answer" for kind in self.kinds]),
            "truncation_rate": _mean(self.truncated),
            "informative_rate": _mean(self.informative),
            "informative_tokens": useful / max(1, sum(self.tokens)),
        }


class TrainMetrics:
    """Everything counted between two calls of `take`.

    Args:
        categories: task -> category.
    """

    def __init__(self, categories: Mapping[str, str] | None = None) -> None:
        self.categories = dict(categories or {})
        self._reset()

    def _reset(self) -> None:
        self._groups: dict[str, list[Outcomes]] = {}
        self._counts: Counter[str] = Counter()

    def group(self, task: str, outcomes: Outcomes) -> None:
        """Count one scored group."""
        self._groups.setdefault(task, []).append(outcomes)

    def count(self, name: str, number: int = 1) -> None:
        """Count something that has a name of its own, such as items that could not be made."""
        self._counts[name] += number

    def take(self) -> dict[str, float]:
        """All numbers since the last call, and a clean slate."""
        out: dict[str, float] = {f"train/{name}": number for name, number in self._counts.items()}
        tasks = {task: Outcomes.joined(groups) for task, groups in self._groups.items()}
        if tasks:
            everything = Outcomes.joined(list(tasks.values()))
            out |= _named("train", everything)
            out["train/percent_correct"] = _mean([s >= CORRECT for s in everything.scores])
            out |= verdict_metrics({task: some.kinds for task, some in tasks.items()})
        for task, some in tasks.items():
            out |= _named(f"train/{task}", some)
            out[f"train/{task}/groups"] = len(self._groups[task])
        categories: dict[str, list[Outcomes]] = {}
        for task, some in tasks.items():
            categories.setdefault(self.categories.get(task, "other"), []).append(some)
        for category, members in categories.items():
            out |= _named(f"train/category/{category}", Outcomes.joined(members))
        self._reset()
        return out


def verdict_metrics(kinds: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """``verdicts/<kind>`` in all, and ``verdicts/<task>/<kind>`` where it was not plain scoring.

    Args:
        kinds: task -> kinds of its verdicts.
    """
    totals = Counter(kind for some in kinds.values() for kind in some)
    out: dict[str, float] = {f"verdicts/{kind}": number for kind, number in totals.items()}
    for task, some in kinds.items():
        trouble = Counter(kind for kind in some if kind != "scored")
        out |= {f"verdicts/{task}/{kind}": number for kind, number in trouble.items()}
    return out


def _named(prefix: str, outcomes: Outcomes) -> dict[str, float]:
    return {f"{prefix}/{name}": value for name, value in outcomes.rates().items()}


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
