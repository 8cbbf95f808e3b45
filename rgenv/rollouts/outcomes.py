"""What the training metrics count of a group, and the rates of several groups.

docs/metrics.md has the formula of each rate.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from statistics import fmean
from typing import Literal, get_args

from rgenv.rollouts.rewards import CORRECT, advantages
from rgenv.types import SOLVED

Format = Literal["kept", "cut", "rejected", "broken"]
FORMATS: tuple[Format, ...] = get_args(Format)


def format_of(kind: str, *, truncated: bool) -> Format:
    """Return what became of the answer format of a completion.

    - kept: there is one answer in the required format, and the verifier read it;
    - cut: there is none, because the completion was cut at the token limit;
    - rejected: there is one, but it is too large or unsafe for the verifier;
    - broken: there is none in the required format, or it is empty; or no completion came.
    """
    if kind in ("too_large", "rejected"):
        return "rejected"
    if kind not in ("no_answer", "refused", "tool_call", "empty"):
        return "kept"
    return "cut" if truncated else "broken"


@dataclass(frozen=True)
class Outcomes:
    """The outcomes of the completions of a group, as parallel columns (rgenv.types.Group)."""

    scores: Sequence[float]
    rewards: Sequence[float]
    kinds: Sequence[str]
    truncated: Sequence[bool]
    masked: Sequence[bool]
    tokens: Sequence[int]

    def __post_init__(self) -> None:
        if len({len(getattr(self, field.name)) for field in fields(self)}) > 1:
            raise ValueError(f"{', '.join(field.name for field in fields(self))} differ in length")

    @property
    def informative(self) -> bool:
        return len(set(self.rewards)) > 1

    @property
    def accuracy(self) -> float:
        return self.share_from(SOLVED)

    def share_from(self, least: float) -> float:
        return fmean(score >= least for score in self.scores)

    @property
    def gradient_tokens(self) -> int:
        """The tokens that carry a gradient: of completions that are not masked, if any."""
        pairs = zip(self.tokens, self.masked, strict=True)
        return sum(tokens for tokens, mask in pairs if not mask) if self.informative else 0

    @property
    def advantage(self) -> float:
        return sum(map(abs, advantages(self.rewards)))

    @property
    def length_advantage(self) -> float:
        """The part of `advantage` that comes from the length penalty: all of it, or nothing."""
        penalized = self.informative and min(self.scores) >= SOLVED
        return self.advantage if penalized and list(self.rewards) != list(self.scores) else 0.0


def rates(groups: Sequence[Outcomes], *, sends_equal: bool = False) -> dict[str, float]:
    """Return the rates that are reported in total, for each task and for each category.

    Args:
        sends_equal: whether groups with equal rewards are sent to the trainer, too.
    """
    tokens = sum(sum(group.tokens) for group in groups)
    sent = [group.rewards for group in groups if group.informative or sends_equal]
    return {
        "score": fmean(fmean(group.scores) for group in groups),
        **({"reward": fmean(map(fmean, sent))} if sent else {}),
        "accuracy": fmean(group.accuracy for group in groups),
        "format_rate": _share(groups, "kept"),
        "truncation_rate": fmean(fmean(group.truncated) for group in groups),
        "informative_rate": fmean(group.informative for group in groups),
        "informative_tokens": _of(
            tokens, (sum(group.tokens) for group in groups if group.informative)
        ),
        "gradient_tokens": _of(tokens, (group.gradient_tokens for group in groups)),
    }


def total_rates(groups: Sequence[Outcomes]) -> dict[str, float]:
    advantage = sum(group.advantage for group in groups)
    return {
        "percent_correct": fmean(group.share_from(CORRECT) for group in groups),
        "format_cut_rate": _share(groups, "cut"),
        "format_rejected_rate": _share(groups, "rejected"),
        "format_broken_rate": _share(groups, "broken"),
        "length_advantage": _of(advantage, (group.length_advantage for group in groups)),
    }


def _share(groups: Iterable[Outcomes], wanted: Format) -> float:
    """Return the share of completions with this format, for each group first."""
    return fmean(
        fmean(
            format_of(kind, truncated=cut) == wanted
            for kind, cut in zip(group.kinds, group.truncated, strict=True)
        )
        for group in groups
    )


def _of(total: float, parts: Iterable[float]) -> float:
    return sum(parts) / total if total else 0.0
