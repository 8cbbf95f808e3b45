"""The transformer, and sampling from it."""

import pytest

torch = pytest.importorskip("torch", reason="learners need requirements-learn.txt")

from benchmarks.learning.model import Transformer, generate, padded  # noqa: E402

PROMPTS = [[3, 4, 5], [6, 7, 8, 9, 10]]


def drawn(group: int = 2) -> list[list[int]]:
    """Completions of two prompts, from a model of a seed."""
    rng = torch.Generator().manual_seed(5)
    return generate(Transformer(16, 1), PROMPTS, group=group, limit=6, end=0, rng=rng)


def test_equal_seeds_give_equal_completions() -> None:
    """Weights and samples are functions of their seeds."""
    assert drawn() == drawn()


def test_a_completion_ends_with_the_end_token_or_at_the_limit() -> None:
    """Nothing follows the end, and nothing is longer than the limit."""
    for completion in drawn(group=32):
        assert 0 not in completion[:-1]
        assert len(completion) == 6 or completion[-1] == 0


def test_the_cache_changes_no_probability() -> None:
    """Token for token, sampling takes what the whole sequence without a cache gives."""
    model, rng = Transformer(16, seed=2), torch.Generator().manual_seed(1)
    completions = generate(model, PROMPTS, group=1, limit=6, end=99, rng=rng)
    uniform = torch.rand(2, 6, generator=torch.Generator().manual_seed(1))
    rows = [p + c for p, c in zip(PROMPTS, completions, strict=True)]
    with torch.no_grad():
        shares = model(padded(rows), torch.tensor([3, 5])).softmax(-1).cumsum(-1)
    for row, (prompt, completion) in enumerate(zip(PROMPTS, completions, strict=True)):
        for step, token in enumerate(completion):
            at = shares[row, len(prompt) + step - 1]
            assert int((at <= uniform[row, step] * at[-1]).sum()) == token


def test_padding_changes_no_probability() -> None:
    """A row gives the same with and without longer rows beside it."""
    model = Transformer(16, seed=3)
    alone = model(padded([[3, 4, 5]]), torch.tensor([2]))
    beside = model(padded([[3, 4, 5], [6, 7, 8, 9, 10]]), torch.tensor([2, 4]))
    assert torch.allclose(alone[0], beside[0, :3], atol=1e-5)
