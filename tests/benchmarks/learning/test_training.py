"""A run: an arm teaches a learner until the tokens are spent."""

from collections.abc import Sequence
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="learners need requirements-learn.txt")

from benchmarks.learning import warmup  # noqa: E402
from benchmarks.learning.arms import ARMS  # noqa: E402
from benchmarks.learning.arms.base import Arm, Plan  # noqa: E402
from benchmarks.learning.model import Transformer  # noqa: E402
from benchmarks.learning.tokens import Tokens  # noqa: E402
from benchmarks.learning.training import LIMIT, Size, train  # noqa: E402
from tests.benchmarks.learning.games import TASKS, ToyGym  # noqa: E402

SIZE = Size(budget=6000, groups=4, checkpoints=2, problems=8, last_problems=32, learning_rate=5e-4)


class Dead(Arm):
    """Always picks the task that nobody can learn."""

    def choose(self, count: int) -> list[Plan]:
        """The dead task."""
        return [("lcm", 0.3)] * count


@pytest.fixture(scope="module")
def warm() -> dict[str, Any]:
    """Weights that know the format, and are right one time in two."""
    torch.set_num_threads(1)
    tokens, model = Tokens(TASKS), Transformer(len(Tokens(TASKS)), seed=1)
    questions = [ToyGym().make(task, n).question for task in TASKS for n in range(64)]
    bank = {"gcd": [(q, str(1 + n % 2)) for n, q in enumerate(questions) if "Give" in q]}
    bank["lcm"] = [(q, "2") for q in questions if "Give" not in q]
    warmup.train(model, tokens, bank, seed=1, steps=100)
    return model.state_dict()


def run(arm: str, warm: dict[str, Any], size: Size = SIZE) -> dict[str, Any]:
    """A run of the toy."""
    tokens = Tokens(TASKS)
    model = Transformer(len(tokens), seed=1)
    model.load_state_dict(warm)
    return train(arm, 1, gym=ToyGym(), tokens=tokens, model=model, tasks=TASKS, size=size)


def known(result: dict[str, Any], when: str = "after") -> float:
    """The accuracy in the task that can be learned."""
    levels: Sequence[float] = result[when]["gcd"]
    return sum(levels) / len(levels)


def without_times(result: dict[str, Any]) -> dict[str, Any]:
    """A result without what differs between equal runs."""
    return {key: value for key, value in result.items() if "seconds" not in key}


def test_uniform_learns_and_always_picking_a_dead_task_does_not(
    warm: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The benchmark can tell a good arm from a bad one."""
    monkeypatch.setitem(ARMS, "dead", Dead)
    uniform, dead = run("uniform_random", warm), run("dead", warm)
    assert known(uniform) > known(uniform, "before") + 0.15
    assert known(dead) < known(uniform) - 0.15


@pytest.mark.parametrize("arm", sorted(set(ARMS) - {"oracle", "taught_alone"}))  # not for toys
def test_equal_runs_give_equal_numbers_and_stay_within_one_batch_of_the_budget(
    arm: str, warm: dict[str, Any]
) -> None:
    """Every arm is a function of its seed, and none spends more than the others."""
    size = Size(budget=900, groups=4, checkpoints=2, problems=4, last_problems=4)
    first = run(arm, warm, size)
    assert without_times(run(arm, warm, size)) == without_times(first)
    assert size.budget <= first["tokens"] < size.budget + size.groups * size.group * LIMIT


def test_the_oracle_spends_nothing_of_the_budget_on_its_probes(warm: dict[str, Any]) -> None:
    """Its groups cost what those of others cost, and go to the task that can be learned."""
    size = Size(budget=900, groups=4, checkpoints=2, problems=4, last_problems=4)
    result = run("oracle", warm, size)
    assert result["tokens"] < size.budget + size.groups * size.group * LIMIT
    assert result["groups"]["gcd"] > 2 * result["groups"].get("lcm", 0)
