"""Build groups from completions and verdicts, and convert them for the trainer.

Rollouts, verdicts and rewards keep their order from here to the trainer.
"""

from collections.abc import Sequence
from typing import Any

from rgenv.rollouts.rewards import length_draw, length_penalty, trainer_rewards
from rgenv.types import Group, Rollout, Verdict


def score_group(
    rollouts: Sequence[Rollout],
    verdicts: Sequence[Verdict],
    *,
    penalize_length: bool = True,
    mask_truncated: bool = True,
    min_spread: float = 0.0,
) -> Group:
    """Compute the rewards, and return them with rollouts and verdicts as a group.

    A completion whose verifier failed gets no advantage. A verifier that takes too long gives 0, or
    a model could learn to hang it.

    Args:
        mask_truncated: completions that were cut at the token limit get no advantage.
        min_spread: rewards that differ by less than this are noise.
    """
    pairs = list(zip(rollouts, verdicts, strict=True))
    rewards = [verdict.score for verdict in verdicts]
    if penalize_length:
        rewards = length_penalty(
            rewards,
            lengths=[rollout.length for rollout in rollouts],
            budget=rollouts[0].budget,
            draw=length_draw(rollouts[0].problem.key),
            unknown=[verdict.failed for verdict in verdicts],
        )
    masked = [verdict.failed or (mask_truncated and one.truncated) for one, verdict in pairs]
    rewards = trainer_rewards(rewards, masked, min_spread=min_spread)
    return Group(tuple(rollouts), tuple(verdicts), tuple(rewards), tuple(masked))


def evidence(group: Group) -> tuple[list[float], list[bool]]:
    """Return the scores that reflect the model, and for each whether its completion was cut."""
    reflecting = [
        (verdict.score, cut)
        for verdict, cut in zip(group.verdicts, group.truncated, strict=True)
        if verdict.reflects_model
    ]
    return [score for score, _ in reflecting], [cut for _, cut in reflecting]


def scored_data(group: Group, *, temperature: float = 1.0) -> dict[str, Any]:
    """Return the group as Atropos' ScoredDataGroup: parallel lists of plain numbers, JSON-able.

    Args:
        temperature: at which the completions were sampled; Atropos' trainer divides logits by it.
    """
    return {
        "tokens": [rollout.tokens for rollout in group.rollouts],
        "masks": [rollout.masks for rollout in group.rollouts],
        "scores": [float(reward) for reward in group.rewards],
        "inference_logprobs": [rollout.logprobs for rollout in group.rollouts],
        "messages": [list(rollout.messages) for rollout in group.rollouts],
        "overrides": [{"set_advantage_to_zero": True} if mask else {} for mask in group.masked],
        "group_overrides": {
            "group_id": group.group_id,
            **group.problem.recipe,
            "opening": group.opening,
            "kinds": group.kinds,
            "finish_reasons": [rollout.finish_reason for rollout in group.rollouts],
            "temperature": temperature,
        },
    }


def group_id(data: Any) -> str:
    """Return the id of a group as `scored_data` makes it; empty if it was made elsewhere."""
    return str((data.get("group_overrides") or {}).get("group_id", ""))
