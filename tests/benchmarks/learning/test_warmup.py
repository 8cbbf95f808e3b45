"""Supervised learning before a run."""

from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="learners need requirements-learn.txt")

from benchmarks.learning.tokens import Tokens  # noqa: E402
from benchmarks.learning.warmup import warm_model, warmup_problems  # noqa: E402
from tests.benchmarks.learning.games import TASKS, ToyGym  # noqa: E402

TOKENS = Tokens(TASKS)


def test_problems_are_made_once(tmp_path: Path) -> None:
    """The second time they are read, without a gym."""
    made = warmup_problems(ToyGym(), TASKS, 5, tmp_path)
    assert warmup_problems(None, TASKS, 5, tmp_path) == made
    assert {len(problems) for problems in made.values()} == {5}


def test_all_arms_of_a_seed_get_the_same_weights(tmp_path: Path) -> None:
    """Those of a seed are read from disk; another seed has others."""
    bank = warmup_problems(ToyGym(), TASKS, 80, tmp_path)
    first = warm_model(TOKENS, bank, seed=1, folder=tmp_path, steps=3).state_dict()
    again = warm_model(TOKENS, bank, seed=1, folder=tmp_path, steps=3).state_dict()
    other = warm_model(TOKENS, bank, seed=2, folder=tmp_path, steps=3).state_dict()
    assert all(torch.equal(first[name], again[name]) for name in first)
    assert not torch.equal(first["embed.weight"], other["embed.weight"])


def test_equal_seeds_give_equal_weights(tmp_path: Path) -> None:
    """The warm-up is a function of its seed."""
    bank = warmup_problems(ToyGym(), TASKS, 80, tmp_path)
    weights = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        model = warm_model(TOKENS, bank, seed=1, folder=tmp_path / name, steps=3)
        weights.append(model.state_dict()["embed.weight"])
    assert torch.equal(*weights)
