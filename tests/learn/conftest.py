"""A tiny model for the tests of the learning example."""

from typing import Any

import pytest


@pytest.fixture
def model() -> Any:
    """A tiny model whose distributions are far from uniform."""
    torch = pytest.importorskip("torch", reason="learning needs requirements-learn.txt")
    from examples.learn.model import new_model
    from tests.learn.models import VOCABULARY

    model = new_model("tiny", vocabulary=VOCABULARY, seed=1)
    with torch.no_grad():
        for weight in model.parameters():
            weight.mul_(3)
    return model
