"""A short run of the learning example: warm-up, GRPO with the real rollout API, evaluation."""

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="learning needs requirements-learn.txt")


from demo.trainer import next_batch
from examples.learn import run, settings, trainer
from examples.learn.model import load_model
from examples.learn.sampler import Rollout, completion_logprobs
from tests.support.dumps import rows

pytestmark = pytest.mark.soak

STEPS, BATCH = 4, 64
SHORT = [
    "--size=tiny",
    f"--batch-size={BATCH}",
    "--warmup-items=150",
    "--warmup-steps=250",
    "--eval-items=5",
    "--checkpoint-every=2",
    "--learning-rate=0.001",
]


BATCHES: list[Any] = []


async def noted(*words: Any) -> Any:
    BATCHES.append(copy.deepcopy(batch := await next_batch(*words)))
    return batch


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of one short run for all tests."""
    folder = tmp_path_factory.mktemp("learn")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trainer, "next_batch", noted)
        patch.setattr(settings, "TASK_WEIGHTS", {"gcd": 1})  # answers are sometimes right by chance
        patch.setattr(settings, "TASK_CONFIGS", {})
        patch.setattr(settings, "WORKERS", BATCH // run.GROUP_SIZE)  # else all is asked at once
        assert run.main([f"--output={folder}", f"--steps={STEPS}", *SHORT]) == 0
        yield folder


def test_every_step_gets_a_whole_batch(output: Path) -> None:
    steps = rows(output / "steps.jsonl")
    assert [row["step"] for row in steps] == list(range(1, STEPS + 1))
    assert any(row["norm"] > 0 for row in steps)
    for batch in BATCHES:
        assert sum(len(group["tokens"]) for group in batch) == BATCH
    ids = [group["group_overrides"]["group_id"] for batch in BATCHES for group in batch]
    assert len(set(ids)) == STEPS * BATCH // run.GROUP_SIZE


def test_the_first_batch_has_the_trainers_log_probabilities(output: Path) -> None:
    """The server's log probabilities equal those of the trainer's weights, token by token."""
    model = load_model(output / "warmup" / "model")
    for group in BATCHES[0]:
        parts = zip(group["tokens"], group["masks"], group["inference_logprobs"], strict=True)
        for tokens, masks, served in parts:
            length = len(tokens) - masks.count(-100)
            with torch.no_grad():
                mine = completion_logprobs(model, [Rollout(tokens, length)]).tolist()
            assert length and served[-length:] == pytest.approx(mine, abs=1e-4)


def test_it_resumes_from_the_last_checkpoint(
    output: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    steps = STEPS + 2
    assert run.main([f"--output={output}", f"--steps={steps}", *SHORT]) == 0
    assert [row["step"] for row in rows(output / "steps.jsonl")] == list(range(1, steps + 1))
    assert f"after {steps} steps" in capfd.readouterr().out
    assert (output / "curve.png").stat().st_size > 5000
    assert "Resumed from" in (output / "environment.log").read_text()
