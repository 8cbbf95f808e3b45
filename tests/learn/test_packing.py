"""Rollouts that share the computation of their prompt have the log probabilities of their own."""

import pytest

torch = pytest.importorskip("torch", reason="learning needs requirements-learn.txt")

from examples.learn.model import new_model
from examples.learn.packing import Rollout, by_prompt, completion_logprobs

ROLLOUTS = [
    Rollout([5, 6, 7, 8, 9], 2),
    Rollout([1, 2, 3], 1),
    Rollout([5, 6, 7, 4], 1),
    Rollout([5, 6, 7, 9, 9, 3, 2], 4),
]


def test_it_gives_the_log_probabilities_of_each_rollout_alone() -> None:
    model = new_model("tiny", vocabulary=10, seed=1)
    groups, alone = by_prompt(ROLLOUTS), []
    assert [len(group) for group in groups] == [1, 3]
    for rollout in (rollout for group in groups for rollout in group):
        tokens = torch.tensor([rollout.tokens])
        every = torch.log_softmax(model(input_ids=tokens).logits[0, :-1], -1)
        alone.append(every.gather(-1, tokens[0, 1:, None])[-rollout.length :, 0])
    assert torch.allclose(completion_logprobs(model, groups), torch.cat(alone), atol=1e-5)


def test_its_gradient_is_that_of_each_rollout_alone() -> None:
    gradients = []
    for groups in (by_prompt(ROLLOUTS), [[rollout] for rollout in ROLLOUTS]):
        model = new_model("tiny", vocabulary=10, seed=1)
        completion_logprobs(model, groups).sum().backward()
        gradients.append([weight.grad for weight in model.parameters()])
    assert all(torch.allclose(*pair, atol=1e-4) for pair in zip(*gradients, strict=True))
