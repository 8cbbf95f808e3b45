"""Atropos' own trainer takes steps on our groups."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import MakeEnv
from tests.support.environments import collect
from tests.support.fakes import FakeServer
from tests.support.replies import Solver
from tests.support.trainer import training_step
from tests.support.vllm import write_model

torch = pytest.importorskip("torch", reason="the trainer needs requirements-learn.txt")


@pytest.fixture
def model(tmp_path: Path) -> Any:
    """A small random model."""
    from transformers import LlamaForCausalLM

    return LlamaForCausalLM.from_pretrained(write_model(tmp_path / "model"))


def logprobs_of(model: Any, prompt: list[int], written: list[int], temperature: float) -> Any:
    """Return the log probability of each written token."""
    logits = model(torch.tensor([[*prompt, *written]])).logits[0, len(prompt) - 1 : -1]
    whole = (logits / temperature).log_softmax(-1)
    return whole.gather(1, torch.tensor(written)[:, None])[:, 0]


@pytest.mark.slow
@pytest.mark.parametrize("temperature", [1.0, 0.7])
async def test_the_example_trainer_learns_from_a_group(
    make_env: MakeEnv, model: Any, temperature: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It computes the log probabilities of the group, and makes the right answer likelier."""
    real = FakeServer._tokens_and_logprobs_completion_wrapper

    async def as_the_model_says(server: FakeServer, **request: Any) -> Any:
        prompt, tokens, _, reasons = await real(server, **request)
        with torch.no_grad():
            logprobs = [logprobs_of(model, prompt, ids, temperature).tolist() for ids in tokens]
        return prompt, tokens, logprobs, reasons

    monkeypatch.setattr(FakeServer, "_tokens_and_logprobs_completion_wrapper", as_the_model_says)
    solver = Solver("ynnn")
    env = await make_env(solver, task_names=["gcd"], max_token_length=900, temperature=temperature)
    _, group = await collect(env, solver)
    assert group["scores"] == [1.0, 0.0, 0.0, 0.0]

    def gap() -> float:
        """Return how much likelier the right answer is than a wrong one, per token."""
        with torch.no_grad():
            right, wrong = (
                logprobs_of(model, *parts(group, place), temperature).mean() for place in (0, 1)
            )
        return float(right - wrong)

    before = gap()
    metrics = training_step(model, [json.loads(json.dumps(group))])
    assert metrics["alignment/diff_max"] < 1e-4 and metrics["mean_ratio"] == pytest.approx(1.0)
    assert metrics["grad_norm"] > 0 and gap() > before


def parts(group: dict[str, Any], place: int) -> tuple[list[int], list[int]]:
    """Return the tokens of the prompt and of the completion of a rollout."""
    tokens, masks = group["tokens"][place], group["masks"][place]
    begin = masks.count(-100)
    return tokens[:begin], tokens[begin:]
