"""The parts of the experiments that need no training: learners of many seeds, rewards, programs."""

import pytest

torch = pytest.importorskip("torch")

from examples.experiments.figures import interval
from examples.experiments.learner import END, PAD, advantages, learn, logprobs, new_weights, sample
from examples.experiments.problems import PROGRAMS, Short
from examples.experiments.run import Arm, damaged


def test_a_learner_is_the_same_alone_and_among_others() -> None:
    prompts, right = torch.tensor([[[2, 3]]] * 3), torch.tensor([[[4, END]]] * 3)
    found = []
    for seeds, first in ((3, 0), (1, 2)):
        weights = new_weights(seeds, vocabulary=6, first_seed=first)
        optimizer = torch.optim.Adam(weights.values(), lr=0.01)
        for _ in range(3):
            learn(weights, optimizer, prompts[:seeds], right[:seeds])
        found.append(logprobs(weights, prompts[:seeds], right[:seeds])[-1])
    assert torch.allclose(*found, atol=1e-5)


def test_rewards_make_an_answer_likely() -> None:
    torch.manual_seed(0)
    weights, prompts = new_weights(2, vocabulary=5), torch.tensor([[[2, 3]]] * 2)
    optimizer = torch.optim.Adam(weights.values(), lr=0.02)
    for _ in range(40):
        drawn = sample(weights, prompts, group=8, length=2)
        rewards = (drawn[:, :, 0] == 4).float().unsqueeze(1)
        learn(weights, optimizer, prompts, drawn, advantages(rewards))
    drawn = sample(weights, prompts, group=50, length=2)
    assert (drawn[:, :, 0] == 4).float().mean() > 0.9
    assert bool((drawn[:, :, 1][drawn[:, :, 0] == END] == PAD).all())


@pytest.mark.parametrize(
    ("damage", "percent", "text", "score", "rewards"),
    [
        ("one answer paid", 50, "0", 0.0, [1.0, 0.0]),
        ("one answer paid", 50, "3", 0.0, [0.0, 0.0]),
        ("some answers refused", 50, "a", 1.0, [0.0, 0.0]),
        ("some answers refused", 50, "c", 1.0, [1.0, 1.0]),
        ("random paid", 100, "x", 0.0, [1.0, 1.0]),
        ("random refused", 100, "x", 1.0, [0.0, 0.0]),
        ("none", 0, "x", 0.25, [0.25, 0.25]),
    ],
)
def test_damage(damage: str, percent: int, text: str, score: float, rewards: list[float]) -> None:
    train = [Short({}, [], [letter]) for letter in "abcd"]
    reward = damaged(Arm("damage", ("t",), damage=damage, percent=percent), train)
    assert [reward(place, text, score) for place in (49, 50)] == rewards


def test_programs_and_intervals() -> None:
    asked = {
        "isomorphic_strings": ("aab xyx", "True"),
        "gcd": ("24,36", "6"),
        "basic_arithmetic": ("(2+5)/-7--3", "30/7"),
        "aiw": ("3sisters4brothersmanysisters", "5"),
    }
    assert {task: program(asked[task][0]) for task, program in PROGRAMS.items()} == {
        task: right for task, (_, right) in asked.items()
    }
    assert interval([1.0, 2.0, 3.0]) == pytest.approx((2.0, 2.484), abs=0.001)
