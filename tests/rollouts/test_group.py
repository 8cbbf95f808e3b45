"""rgenv/rollouts/group.py: groups, and their forms for the trainer and the dumps."""

from statistics import fmean
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rgenv.rollouts.group import score_group
from rgenv.rollouts.metrics import measures
from rgenv.rollouts.recorder import evidence
from rgenv.types import KINDS, Rollout, Verdict
from tests.support.rollouts import problem, rollout


def numbered(number: int, **changes: Any) -> Rollout:
    written = {"tokens": [1, 2, number], "masks": [-100, 2, number], **changes}
    return rollout(problem(), f"<answer>{number}</answer>", **written)


completions = st.lists(
    st.tuples(st.floats(0, 1), st.sampled_from(KINDS), st.sampled_from(["stop", "length"])),
    min_size=1,
    max_size=16,
)


@given(completions, st.lists(st.sampled_from(["error", "crashed"]), min_size=1, max_size=4))
def test_a_verifier_that_fails_changes_no_other_reward(
    completions: list[tuple[float, str, str]], failures: list[str]
) -> None:
    """Beside it, the others have the rewards and the mean that they have without it."""
    judged = [one for one in completions if one[1] not in ("error", "crashed")]
    both = [*judged, *[(0.0, kind, "stop") for kind in failures]]
    alone, beside = (
        score_group(
            [numbered(i, finish_reason=reason) for i, (_, _, reason) in enumerate(group)],
            [Verdict(score, kind) for score, kind, _ in group],
            mask_truncated=False,
        )
        for group in (judged or both, both)
    )
    assert beside.rewards[: len(alone.rewards)] == alone.rewards
    assert fmean(beside.rewards) == pytest.approx(fmean(alone.rewards))
    assert all(beside.masked[len(judged) :])


def test_a_failed_verifier_spares_nobody_the_length_penalty() -> None:
    long = {"tokens": [1] * 100, "masks": [-100] + [1] * 99, "budget": 99}
    rollouts = [numbered(1, budget=99), numbered(2, **long), numbered(3, budget=99)]
    verdicts = [Verdict(1.0, "scored"), Verdict(1.0, "scored"), Verdict(0.0, "crashed")]
    group = score_group(rollouts, verdicts)
    assert group.rewards == (1.0, 0.5, 0.75)
    assert measures(group)["length_advantage"] == measures(group)["advantage"] > 0
    verdicts[2] = Verdict(0.0, "timeout")  # a verifier that hangs counts as wrong
    group = score_group(rollouts, verdicts)
    assert group.rewards == (1.0, 1.0, 0.0) and not any(group.masked)


def test_evidence_leaves_out_what_the_verifier_did() -> None:
    kinds = ["scored", "no_answer", "timeout", "crashed", "error", "rejected", "too_large"]
    rollouts = [numbered(i, finish_reason="length" if i == 0 else "stop") for i in range(7)]
    group = score_group(rollouts, [Verdict(0.1 * i, kind) for i, kind in enumerate(kinds)])
    scores, cut = evidence(group)
    assert scores == pytest.approx([0.0, 0.1, 0.5, 0.6])
    assert cut == [True, False, False, False]
