"""Rollouts that share the computation of their prompt have the log probabilities of their own."""

from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="learning needs requirements-learn.txt")

from transformers import AutoTokenizer

from examples.learn.model import new_model
from examples.learn.sampler import Request, Rollout, completion_logprobs, sample
from examples.learn.tokenizer import build_tokenizer

ROLLOUTS = [
    Rollout([5, 6, 7, 8, 9], 2),
    Rollout([1, 2, 3], 1),
    Rollout([5, 6, 7, 4], 1),
    Rollout([5, 6, 7, 9, 9, 3, 2], 4),
]


@pytest.fixture
def model(tmp_path: Path) -> Any:
    tokenizer = AutoTokenizer.from_pretrained(build_tokenizer(tmp_path, ["gcd"]))
    return new_model("tiny", tokenizer, seed=1)


def alone(model: Any, rollout: Rollout) -> Any:
    tokens = torch.tensor([rollout.tokens])
    every = torch.log_softmax(model(input_ids=tokens).logits[0, :-1], -1)
    return every.gather(-1, tokens[0, 1:, None])[-rollout.length :, 0]


def test_log_probabilities_and_gradients_are_those_of_each_rollout_alone(model: Any) -> None:
    """Neither the other rollouts of a prompt nor padding changes them."""
    found = []
    for logprobs in (
        completion_logprobs(model, ROLLOUTS),
        torch.cat([alone(model, rollout) for rollout in ROLLOUTS]),
    ):
        model.zero_grad()
        logprobs.sum().backward()
        found.append([logprobs, *(weight.grad.clone() for weight in model.parameters())])
    assert all(torch.allclose(*pair, atol=1e-4) for pair in zip(*found, strict=True))


def test_completions_come_with_their_log_probabilities(model: Any) -> None:
    """They end at the end token or their limit, beside others that go on."""
    model.config.eos_token_id = 3
    requests = [Request((5, 6), limit=200), Request((7, 8, 9), limit=4), Request((5, 6), limit=9)]
    drawn = sample(model, requests)
    for request, one in zip(requests, drawn, strict=True):
        assert (one.finish_reason == "stop") == (one.token_ids[-1] == 3)
        assert one.finish_reason == "stop" or len(one.token_ids) == request.limit
        rollout = Rollout([*request.prompt, *one.token_ids], len(one.token_ids))
        assert one.logprobs == pytest.approx(alone(model, rollout).tolist(), abs=1e-4)
