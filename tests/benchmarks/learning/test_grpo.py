"""One step of GRPO."""

import pytest

torch = pytest.importorskip("torch", reason="learners need requirements-learn.txt")

from benchmarks.learning.grpo import Group, Learner, advantages  # noqa: E402
from benchmarks.learning.model import Transformer, generate  # noqa: E402
from rgenv.types import Problem  # noqa: E402

END, WON = 0, 3
PROBLEM = Problem("gcd", 1, 0.3, {}, question="", answer="1")


def played(model: Transformer, rng: "torch.Generator", best: int) -> Group:
    """A group of one-token completions that is paid for one token."""
    completions = generate(model, [[1, 2]], group=8, limit=1, end=END, rng=rng)
    rewards = [float(completion[0] == best) for completion in completions]
    return Group(PROBLEM, [1, 2], completions, rewards)


def test_advantages_are_rewards_in_deviations_from_the_mean_of_their_group() -> None:
    """The mean is subtracted and the rest is divided by the standard deviation."""
    assert advantages([1.0, 0.0, 0.0, 1.0]) == [1.0, -1.0, -1.0, 1.0]


def test_equal_rewards_have_no_advantage_and_change_no_weight() -> None:
    """A group that tells nothing leaves the model as it was."""
    assert advantages([0.3] * 8) == [0.0] * 8
    model = Transformer(6, seed=1)
    before = [weight.clone() for weight in model.parameters()]
    Learner(model, 0.01).step([Group(PROBLEM, [1], [[2, 0]] * 8, [1.0] * 8)])
    assert all(map(torch.equal, before, model.parameters()))


def test_a_bandit_is_learned() -> None:
    """A model that is paid for one of six tokens comes to give it nearly always."""
    torch.set_num_threads(1)
    model, rng = Transformer(6, seed=1), torch.Generator().manual_seed(1)
    learner = Learner(model, 0.003)
    first = sum(sum(played(model, rng, WON).rewards) for _ in range(8))
    for _ in range(40):
        learner.step([played(model, rng, WON) for _ in range(4)])
    last = sum(sum(played(model, rng, WON).rewards) for _ in range(8))
    assert first < 32 and last > 56
