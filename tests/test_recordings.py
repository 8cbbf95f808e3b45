"""Items and files of the environment equal those that were recorded.

tests/support/recordings.py says how they are recorded again.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from reasoning_gym_environment import ReasoningGymEnv
from tests.conftest import MakeEnv
from tests.support.recordings import compare, short_hash

ITEMS = 200
MIXED = (
    "gcd syllogism tower_of_hanoi chain_sum spell_backward maze coin_flip isomorphic_strings "
    "count_bits letter_counting jugs codeio"
).split()
SMALL = ["gcd", "tower_of_hanoi", "coin_flip", "syllogism", "spell_backward"]

STREAMS: dict[str, dict[str, Any]] = {
    "every task": {"seed": 1918},
    "another seed, levels at random": {
        "seed": 7,
        "task_names": MIXED,
        "complexity_mode": "random",
        "random_level_range": (0.1, 0.9),
        "num_eval_tasks": 3,
        "num_eval_samples_per_task": 4,
    },
    "replica 1 of 3, weights": {
        "task_names": MIXED,
        "replica_id": 1,
        "num_replicas": 3,
        "task_weights": {"gcd": 5.0, "maze": 0.2},
        "task_configs": {"gcd": {"min_numbers": 3, "max_numbers": 4}},
    },
    "few short problems, no balance": {
        "task_names": SMALL,
        "balance_labels": False,
        "max_prompt_tokens": 300,
        "eval_seed": 5,
    },
}
ANSWERED: dict[str, dict[str, Any]] = {
    "curriculum": {"task_names": SMALL, "complexity_mode": "curriculum"},
    "weights over random levels": {
        "task_names": MIXED,
        "exclude_tasks": ["codeio", "maze"],
        "complexity_mode": "random",
        "task_weights": {"gcd": 2.0},
    },
    "a replica with the curriculum": {
        "task_names": SMALL,
        "complexity_mode": "curriculum",
        "curriculum_target_accuracy": 0.5,
        "seed": 3,
        "replica_id": 1,
        "num_replicas": 2,
    },
}


def summary(item: Any) -> str:
    """Return an item in one line."""
    body = short_hash(item.question, item.answer, dict(item.config))
    return f"{item.task} {item.seed} {item.level} {body}"


class Student:
    """Answers `item`; a hash of problem and place decides how well and at what length."""

    def __init__(self) -> None:
        self.item: Any = None

    def __call__(self, _prompt: str, n: int) -> Sequence[tuple[str, str]]:
        return [self.completion(place) for place in range(n)]

    def completion(self, place: int) -> tuple[str, str]:
        dice = int(short_hash(self.item.task, self.item.seed, place), 16)
        ease = {"gcd": 9, "coin_flip": 2, "spell_backward": 6}.get(self.item.task, 4)
        answer = self.item.answer if dice % 10 < ease else "no"
        thought = "<think>" + "and " * (dice % 7 * 100) + "</think>"
        text = "no tags" if dice % 23 == 0 else f"{thought}<answer>{answer}</answer>"
        return text, "length" if dice % 19 == 0 else "stop"


async def answered(env: ReasoningGymEnv, student: Student, count: int) -> list[str]:
    """Return the next items and the scores of their groups."""
    lines = []
    for _ in range(count):
        student.item = await env.get_next_item()
        group, backlog = await env.collect_trajectories(student.item)
        assert group is not None and backlog == []
        scores = [round(score, 6) for score in group["scores"]]
        lines.append(f"{summary(student.item)} {scores}")
    return lines


@pytest.mark.slow
@pytest.mark.parametrize("name", STREAMS)
async def test_items_are_those_that_were_recorded(make_env: MakeEnv, name: str) -> None:
    env = await make_env(**STREAMS[name])
    compare(f"evaluation items: {name}", [summary(item) for item in env.eval_items])
    compare(f"items: {name}", [summary(await env.get_next_item()) for _ in range(ITEMS)])


@pytest.mark.slow
@pytest.mark.parametrize("name", ANSWERED)
async def test_items_that_follow_scores_are_those_that_were_recorded(
    make_env: MakeEnv, tmp_path: Path, name: str
) -> None:
    """The curriculum follows scores in the recorded way, also after a resume."""
    student = Student()
    env = await make_env(student, group_size=4, max_token_length=4000, **ANSWERED[name])
    compare(f"first half: {name}", await answered(env, student, ITEMS // 2))
    env.curr_step, env.checkpoint_dir, env.wandb_prepend = 4, str(tmp_path), "x"
    env.save_checkpoint(4)
    compare(f"second half: {name}", await answered(env, student, ITEMS // 2))
    resumed = await make_env(student, group_size=4, max_token_length=4000, **ANSWERED[name])
    resumed.curr_step, resumed.checkpoint_dir, resumed.wandb_prepend = 4, str(tmp_path), "x"
    resumed.load_checkpoint()
    compare(f"resumed: {name}", await answered(resumed, student, ITEMS // 2))


MASKED = {
    *("group_id", "run", "reasoning_gym", "verifiers", "time"),
    "total_evaluation_time_seconds",
}


def masked(value: Any) -> Any:
    """Return a JSON value without what differs from run to run, long strings as their hash."""
    if isinstance(value, dict):
        return {
            key: "…" if key in MASKED and not isinstance(inner, dict) else masked(inner)
            for key, inner in value.items()
        }
    if isinstance(value, list):
        return [masked(inner) for inner in value]
    if isinstance(value, str) and len(value) > 200:
        return f"{value[:40]}… {short_hash(value)}"
    return round(value, 9) if isinstance(value, float) else value


@pytest.mark.slow
async def test_files_are_written_as_they_were_recorded(make_env: MakeEnv, tmp_path: Path) -> None:
    student = Student()
    env = await make_env(
        student,
        task_names=["gcd", "chain_sum"],
        complexity_mode="curriculum",
        dump_rollouts=True,
        dump_failed_rollouts=True,
        include_messages=True,
        max_token_length=2000,
        data_dir_to_save_evals=str(tmp_path / "eval"),
        num_eval_samples_per_task=3,
        num_eval_tasks=0,
    )
    sent = []
    for _ in range(8):
        student.item = await env.get_next_item()
        group, _ = await env.collect_trajectories(student.item)
        group = await env.postprocess_histories(group)
        group["tokens"] = short_hash(group["tokens"])
        group["masks"] = short_hash(group["masks"])
        group["inference_logprobs"] = [len(row) for row in group["inference_logprobs"]]
        sent.append(masked(group))
    compare("groups", sent)
    student.item = env.eval_items[0]
    await env.evaluate()
    await env.close()
    dumps = sorted((tmp_path / "dumps").iterdir(), key=lambda path: path.name)
    rows = [masked(json.loads(line)) for path in dumps for line in path.read_text().splitlines()]
    compare("dump", rows)
    lines = (tmp_path / "eval/samples.jsonl").read_text().splitlines()
    samples = [json.loads(line) for line in lines]
    compare("samples", masked(sorted(samples, key=lambda sample: sample["id"])))
    compare("evaluation.json", masked(json.loads((tmp_path / "eval/evaluation.json").read_text())))
    compare("metrics.json", masked(json.loads((tmp_path / "eval/metrics.json").read_text())))
