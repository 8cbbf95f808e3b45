"""Batched sampling: the distribution, its log probabilities, and the ends of completions."""

import math
from collections import Counter
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="learning needs requirements-learn.txt")

from examples.learn.model import logprobs, padded
from examples.learn.sampler import Request, sample
from tests.learn.models import END


def test_log_probabilities_are_those_of_a_plain_forward_pass(model: Any) -> None:
    """Padding, cache, repeated prompts and ended rows do not change log probabilities."""
    wanted = [
        Request(tuple(range(5, 5 + length)), limit, temperature)
        for length in (2, 9, 30)
        for limit in (1, 6, 25)
        for temperature in (1.0, 0.5)
    ] * 2
    torch.manual_seed(0)
    for request, one in zip(wanted, sample(model, wanted, END), strict=True):
        tokens = padded([[*request.prompt, *one.token_ids]])
        plain = logprobs(model, tokens, request.temperature)[0, len(request.prompt) - 1 :]
        assert plain.tolist() == pytest.approx(one.logprobs, abs=1e-5)


def test_it_ends_with_the_end_token_or_at_the_limit(model: Any) -> None:
    """The end token is only ever the last token, and no completion exceeds its limit."""
    torch.manual_seed(0)
    wanted = [Request((7, 8), limit) for limit in (1, 40) for _ in range(50)]
    found = sample(model, wanted, END)
    assert {one.finish_reason for one in found} == {"stop", "length"}
    for request, one in zip(wanted, found, strict=True):
        assert END not in one.token_ids[:-1]
        assert (one.finish_reason == "stop") == (one.token_ids[-1] == END)
        assert one.finish_reason == "stop" or len(one.token_ids) == request.limit


def test_draws_follow_the_distribution_of_the_model(model: Any) -> None:
    """Over many draws the frequency of each token is within five deviations of its probability."""
    torch.manual_seed(0)
    draws = 4000
    with torch.no_grad():
        expected = model(input_ids=padded([[9, 4]])).logits[0, -1].softmax(-1)
    found = sample(model, [Request((9, 4), 1)] * draws, END)
    counts = Counter(one.token_ids[0] for one in found)
    for token, share in enumerate(expected.tolist()):
        deviation = math.sqrt(draws * share * (1 - share))
        assert abs(counts[token] - draws * share) < 5 * deviation + 1


def test_temperature_zero_takes_the_most_probable_token(model: Any) -> None:
    """Greedy completions are equal, and their first token is the most probable one."""
    with torch.no_grad():
        best = model(input_ids=padded([[9, 4]])).logits[0, -1].argmax().item()
    found = sample(model, [Request((9, 4), 8, temperature=0.0)] * 3, END)
    assert found[0].token_ids == found[1].token_ids == found[2].token_ids
    assert found[0].token_ids[0] == best
