"""GRPO: advantages, and the gradient of a batch."""

import copy
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="learning needs requirements-learn.txt")

from examples.learn import grpo
from examples.learn.model import logprobs, padded
from tests.learn.models import group_of


def gradient(model: Any, group: dict[str, Any]) -> tuple[Any, grpo.StepStats]:
    model.zero_grad()
    stats = grpo.accumulate(model, grpo.samples_of([group]))
    return torch.cat([weight.grad.flatten() for weight in model.parameters()]), stats


def test_advantages_are_normalized_within_their_group() -> None:
    """The mean is subtracted, and the result divided by the deviation; equal rewards give 0."""
    assert grpo.advantages([1.0, 0.0, 0.0, 1.0], None) == [1.0, -1.0, -1.0, 1.0]
    assert grpo.advantages([0.4, 0.4], [{}, {}]) == [0.0, 0.0]


def test_a_marked_rollout_has_no_advantage() -> None:
    """`set_advantage_to_zero` affects one rollout and leaves the advantages of others."""
    marks = [{}, {"set_advantage_to_zero": True}]
    assert grpo.advantages([1.0, 0.0], marks) == [1.0, 0.0]


def test_a_step_makes_rewarded_rollouts_more_probable(model: Any) -> None:
    """A step along the gradient raises the better rollout relative to the worse one."""
    group = group_of(model, [1.0, 0.0])
    rows = grpo.samples_of([group])

    def lead() -> float:
        with torch.no_grad():
            found = [logprobs(model, padded([row.tokens]))[0, 2:].sum() for row in rows]
        return (found[0] - found[1]).item()

    before = lead()
    grpo.accumulate(model, rows)
    torch.optim.SGD(model.parameters(), lr=0.01).step()
    assert lead() > before


def test_only_completion_tokens_count(model: Any) -> None:
    """Log probabilities of the prompt do not change the gradient; those of completions do."""
    group = group_of(model, [1.0, 0.0, 0.0, 0.0])
    plain, stats = gradient(model, group)
    assert stats.tokens == sum(len(tokens) - 3 for tokens in group["tokens"])
    prompt, completion = copy.deepcopy(group), copy.deepcopy(group)
    for row in prompt["inference_logprobs"]:
        row[:3] = [-9.0] * 3
    for row in completion["inference_logprobs"]:
        row[3] -= 0.1
    assert torch.equal(gradient(model, prompt)[0], plain)
    assert not torch.allclose(gradient(model, completion)[0], plain)


def test_fresh_rollouts_have_no_drift(model: Any) -> None:
    """With unchanged weights the trainer's log probabilities equal the sampler's."""
    stats = gradient(model, group_of(model, [1.0, 0.0]))[1]
    assert stats.drift < 1e-5 and stats.clipped == 0.0


def test_large_ratios_are_clipped(model: Any) -> None:
    """A rewarded rollout that has become much more probable has no gradient."""
    group = group_of(model, [1.0, 0.0], overrides=[{}, {"set_advantage_to_zero": True}])
    group["inference_logprobs"] = [
        [value - 1.0 for value in row] for row in group["inference_logprobs"]
    ]
    found, stats = gradient(model, group)
    assert not found.any() and stats.clipped == 1.0


def test_padding_does_not_change_the_gradient(model: Any) -> None:
    """The gradient of two groups is the mean of theirs, weighted by their tokens."""
    first, second = group_of(model, [1.0, 0.0]), group_of(model, [0.0, 0.0, 1.0])
    second["tokens"][0] = second["tokens"][0][:4]
    second["masks"][0], second["inference_logprobs"][0] = (
        second[name][0][:4] for name in ("masks", "inference_logprobs")
    )
    lengths = [sum(len(row) - 3 for row in group["tokens"]) for group in (first, second)]
    alone = [gradient(model, group)[0] for group in (first, second)]
    model.zero_grad()
    grpo.accumulate(model, grpo.samples_of([first, second]))
    both = torch.cat([weight.grad.flatten() for weight in model.parameters()])
    weighted = sum(part * length for part, length in zip(alone, lengths, strict=True))
    assert torch.allclose(both, weighted / sum(lengths), atol=1e-5)


def test_shuffling_permutes_the_rewards_of_a_group(model: Any) -> None:
    """Each rollout may get the reward; the same seed gives the same permutation."""
    scores = [1.0, *[0.0] * 7]
    group = group_of(model, scores)
    permutations = [
        [row.advantage > 0 for row in grpo.samples_of([group], f"seed {n}")] for n in range(50)
    ]
    assert all(sum(permutation) == 1 for permutation in permutations)
    assert len({permutation.index(True) for permutation in permutations}) == len(scores)
    assert permutations[3] == [row.advantage > 0 for row in grpo.samples_of([group], "seed 3")]
