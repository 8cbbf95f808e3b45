"""Supervised learning on saved rollouts."""

import json
from collections import Counter
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="learning needs requirements-learn.txt")

from examples.learn.model import new_model
from examples.learn.sampler import Request, sample
from examples.learn.warmup import read_rollouts, supervised
from tests.learn.models import END, VOCABULARY


def test_all_rollouts_are_read(tmp_path: Path) -> None:
    """Every rollout of a file is read, right or wrong, with its masks."""
    path = tmp_path / "groups.jsonl"
    rows = [
        {"tokens": [[1, 2], [1, 3]], "masks": [[-100, 2], [-100, 3]], "scores": [1.0, 0.5]},
        {"tokens": [[1, 4]], "masks": [[-100, 4]], "scores": [0.0]},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert read_rollouts(path) == [
        ([1, 2], [-100, 2]),
        ([1, 3], [-100, 3]),
        ([1, 4], [-100, 4]),
    ]


def test_the_model_learns_the_rollouts() -> None:
    """A tiny model memorizes two completions."""
    model = new_model("tiny", vocabulary=VOCABULARY, seed=1)
    rows = [([5, 6, n, END], [-100, -100, n, END]) for n in (10, 11)]
    losses = list(supervised(model, rows, steps=200, seed=1))
    assert losses[0] > 3 and losses[-1] < 0.4  # both are equally likely
    torch.manual_seed(0)
    completions = sample(model, [Request((5, 6), 4)] * 50, END)
    found = Counter(tuple(one.token_ids) for one in completions)
    assert {tokens for tokens, _ in found.most_common(2)} == {(10, END), (11, END)}
    assert found[10, END] + found[11, END] > 45
