"""rgenv/rollouts/group.py: groups, and their forms for the trainer and the dumps."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rgenv.rollouts.group import (
    evidence,
    new_rollout,
    row_metadata,
    score_group,
    scored_data,
)
from rgenv.types import KINDS, Problem, Rollout, Verdict

PROBLEM = Problem("gcd", 7, 0.5, {"min_numbers": 2}, "gcd of 4 and 6?", "2")


def rollout(number: int, **changes: Any) -> Rollout:
    values = {
        "problem": PROBLEM,
        "messages": (),
        "prompt": "gcd of 4 and 6?",
        "text": f"<answer>{number}</answer>",
        "tokens": [1, 2, number],
        "masks": [-100, 2, number],
        "logprobs": [1.0, -0.1, -0.2],
        "finish_reason": "stop",
        "budget": 100,
        **changes,
    }
    return new_rollout(**values)


completions = st.lists(
    st.tuples(st.floats(0, 1), st.sampled_from(KINDS), st.sampled_from(["stop", "length"])),
    min_size=1,
    max_size=16,
)


@given(completions)
def test_every_list_is_in_the_order_of_the_completions(
    completions: list[tuple[float, str, str]],
) -> None:
    group = score_group(
        [rollout(i, finish_reason=reason) for i, (_, _, reason) in enumerate(completions)],
        [Verdict(score, kind) for score, kind, _ in completions],
    )
    payload, metadata = scored_data(group), row_metadata(group)
    for i, (score, kind, reason) in enumerate(completions):
        assert payload["tokens"][i][-1] == payload["masks"][i][-1] == i
        assert payload["messages"][i][-1]["content"] == f"<answer>{i}</answer>"
        assert payload["scores"][i] == group.rewards[i]
        assert payload["overrides"][i] == (
            {"set_advantage_to_zero": True} if reason == "length" else {}
        )
        assert payload["group_overrides"]["kinds"][i] == metadata["verdicts"][i] == kind
        assert metadata["extracted"][i] == str(i) and metadata["raw_scores"][i] == score
        assert metadata["finish_reasons"][i] == reason and metadata["completion_tokens"][i] == 2
    json.dumps([payload, metadata], allow_nan=False)


def test_a_verdict_too_few_is_an_error() -> None:
    with pytest.raises(ValueError, match="zip"):
        score_group([rollout(1), rollout(2)], [Verdict(1.0, "scored")])


def test_evidence_leaves_out_what_the_verifier_did() -> None:
    kinds = ["scored", "no_answer", "timeout", "crashed", "error", "rejected", "too_large"]
    rollouts = [rollout(i, finish_reason="length" if i == 0 else "stop") for i in range(7)]
    group = score_group(rollouts, [Verdict(0.1 * i, kind) for i, kind in enumerate(kinds)])
    scores, cut = evidence(group)
    assert scores == pytest.approx([0.0, 0.1, 0.5, 0.6])
    assert cut == [True, False, False, False]
