"""Fates: counts the tokens of groups by what became of them."""

from collections import Counter
from typing import Literal, get_args

from rgenv.types import Group, ProblemKey

Fate = Literal["trained", "equal_rewards", "too_long", "refused"]
FATES: tuple[Fate, ...] = get_args(Fate)
"""What became of a group; docs/metrics.md says what each means."""


class Fates:
    """Counts `tokens` by fate since the start of a run, in all of its processes."""

    def __init__(self) -> None:
        self.tokens: Counter[str] = Counter()
        self._scored: dict[str, tuple[ProblemKey, int]] = {}

    def scored(self, group: Group) -> None:
        """Note a group whose fate is not known yet."""
        tokens = sum(rollout.length for rollout in group.rollouts)
        self._scored[group.group_id] = group.problem.key, tokens

    def settle(self, group_id: str, fate: Fate) -> ProblemKey | None:
        """Note what became of a group, and return its problem; None: it was noted before."""
        key, tokens = self._scored.pop(group_id, (None, 0))
        self.tokens[fate] += tokens
        return key

    @property
    def trained_share(self) -> float | None:
        """The share of tokens that the trainer got; None: of none."""
        total = self.tokens.total()
        return self.tokens["trained"] / total if total else None

    def metrics(self) -> dict[str, float]:
        """Return the tokens by what became of them; empty without any."""
        if (share := self.trained_share) is None:
            return {}
        return {f"tokens/{fate}": self.tokens[fate] for fate in FATES} | {
            "tokens/trained_share": share
        }
