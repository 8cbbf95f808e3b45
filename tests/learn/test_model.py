"""The small model: padding and log probabilities."""

from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="learning needs requirements-learn.txt")

from examples.learn.model import logprobs, new_model, padded
from tests.learn.models import VOCABULARY


def test_rows_are_padded_on_the_right() -> None:
    """Short rows are filled up with the padding token or another value."""
    assert padded([[5, 6, 7], [5]]).tolist() == [[5, 6, 7], [5, 0, 0]]
    assert padded([[0.5], [0.5, 0.25]], fill=-1.0).tolist() == [[0.5, -1.0], [0.5, 0.25]]


def test_log_probabilities_do_not_depend_on_padding(model: Any) -> None:
    """A row has the same log probabilities alone and in a batch with a longer row."""
    with torch.no_grad():
        both = logprobs(model, padded([[5, 6, 7, 8], [5, 9]]))
        alone = logprobs(model, padded([[5, 9]]))
    assert both.shape == (2, 3)
    assert both[1, 0].item() == pytest.approx(alone[0, 0].item(), abs=1e-5)


def test_log_probabilities_are_normalized(model: Any) -> None:
    """The probabilities of all next tokens add up to 1, at any temperature."""
    tokens = torch.tensor([[5, token] for token in range(VOCABULARY)])
    with torch.no_grad():
        for temperature in (1.0, 0.5):
            total = logprobs(model, tokens, temperature).exp().sum().item()
            assert total == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize(("size", "millions"), [("tiny", 0.13), ("small", 1.3), ("medium", 5)])
def test_sizes(size: str, millions: float) -> None:
    """Models have the documented number of parameters, and the same seed gives the same one."""
    models = [new_model(size, vocabulary=288, seed=1) for _ in range(2)]
    parameters = sum(weight.numel() for weight in models[0].parameters())
    assert parameters / 1e6 == pytest.approx(millions, rel=0.15)
    for one, other in zip(models[0].parameters(), models[1].parameters(), strict=True):
        assert torch.equal(one, other)
