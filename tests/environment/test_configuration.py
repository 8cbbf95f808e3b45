"""reasoning_gym_environment.py: options, their defaults, and what they reach."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from reasoning_gym_environment import ReasoningGymEnv, ReasoningGymEnvConfig, StartupError
from rgenv.errors import PoolBroken, UnknownTask
from rgenv.pool.pool import WorkerPool
from tests.support.fakes import fake_config
from tests.support.paths import ROOT


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("rollout_save_score_threshold", 1.5),
        ("num_eval_samples_per_task", 0),
        ("complexity_mode", "hard"),
        ("curriculum_target_accuracy", 1.0),
        ("task_weights", {"gcd": 0}),
        ("random_level_range", (0.6, 0.4)),
        ("replica_id", 1),
        ("scoring_workers", 0),
        ("seeed", 1),
    ],
)
def test_wrong_values_and_names_are_refused(field: str, value: Any) -> None:
    """An invalid value or an unknown option is an error that names the option."""
    with pytest.raises(ValidationError, match=field):
        ReasoningGymEnvConfig(**{field: value})


def test_the_defaults_are_the_documented_ones() -> None:
    """Users' YAML files rely on these names and values."""
    config = ReasoningGymEnvConfig()
    assert (config.dump_rollouts, config.dump_failed_rollouts) == (False, False)
    assert config.rollout_save_score_threshold == 0.7
    assert (config.seed, config.eval_seed, config.num_eval_samples_per_task) == (42, 123, 20)
    assert config.complexity_mode is None and config.curriculum_target_accuracy == 0.7
    assert config.mask_too_long_completions and not config.debug_logging


def test_the_command_line_defaults_can_train() -> None:
    """They hold one vllm server with a key, a wandb name and no minimum allocation."""
    config, [server] = ReasoningGymEnv.config_init()
    assert (server.server_type, bool(server.api_key)) == ("vllm", True)
    assert config.min_batch_allocation is None and config.wandb_name == "reasoning_gym_think"
    assert (config.group_size, config.batch_size, config.max_token_length) == (8, 1024, 8192)
    assert (config.total_steps, config.steps_per_eval, config.seed) == (-1, 25, 1918)


def test_strings_lists_and_mappings_mean_the_same() -> None:
    """A list or mapping of a YAML file may be a string on the command line."""
    config = ReasoningGymEnvConfig(
        task_names="gcd, lcm",
        task_weights="gcd=2",
        complexity_mode="None",
        task_configs='{"gcd": {"min_numbers": 3}}',
        eval_levels="none,0.5",
    )
    assert config.task_names == ["gcd", "lcm"]
    assert config.task_weights == {"gcd": 2.0}
    assert config.task_configs == {"gcd": {"min_numbers": 3}}
    assert config.eval_levels == [None, 0.5]
    assert config.complexity_mode is None
    same = config.model_dump(include=set(config.model_fields_set))
    assert ReasoningGymEnvConfig(**same) == config


@pytest.mark.parametrize("nothing", [None, "none", "None", "null", ""])
def test_none_is_an_empty_list_or_mapping(nothing: str | None) -> None:
    """What the documents show as the default of a list or mapping can be written."""
    config = ReasoningGymEnvConfig(
        task_names=nothing, task_weights=nothing, task_configs=nothing, exclude_tasks=nothing
    )
    assert config.task_names == config.exclude_tasks == []
    assert config.task_weights == config.task_configs == {}


def test_replicas_are_found_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """torch's variables set the replica; configured values override them."""
    monkeypatch.setenv("RANK", "3")
    monkeypatch.setenv("WORLD_SIZE", "8")
    config = ReasoningGymEnvConfig()
    assert (config.replica_id, config.num_replicas) == (3, 8)
    assert ReasoningGymEnvConfig(replica_id=0, num_replicas=1).replica_id == 0


async def test_items_and_scores_need_no_tokenizer() -> None:
    """A program without network makes and scores; what needs the tokenizer names it."""
    config = ReasoningGymEnvConfig(
        tokenizer_name="no/such-tokenizer", startup_timeout=20, use_wandb=False, task_names=["gcd"]
    )
    env = ReasoningGymEnv(config, fake_config())
    await env.setup()
    try:
        with pytest.raises(UnknownTask, match=r"no task 'GCD'\. Did you mean gcd\?"):
            await env.make_item("GCD", seed=7)
        item = await env.make_item("gcd", seed=7)
        with pytest.raises(TypeError, match="must be a list of texts"):
            await env.score_completions(item, "<answer>1</answer>")
        right = f"<answer>{item.answer}</answer>"
        assert await env.score_completions(item, [right, item.answer]) == [1.0, 0.0]
        with pytest.raises(StartupError, match=r"no/such-tokenizer.*--env\.tokenizer_name"):
            await env.collect_trajectories(item)
    finally:
        await env.close()


@pytest.mark.slow
def test_the_example_of_the_readme_runs_without_a_network(tmp_path: Path) -> None:
    """The code of the README makes and scores offline, and gets the scores that it shows."""
    section = (ROOT / "README.md").read_text(encoding="utf-8").partition("## In code")[2]
    [example] = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    body = "".join(f"    {line}\n" for line in example.splitlines())
    offline = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    program = f"import asyncio\nasync def main():\n{body}    print(scores)\nasyncio.run(main())\n"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**os.environ, **offline},
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.stdout == "[1.0, 0.0]\n", done.stderr


async def test_options_of_scoring_reach_the_workers(
    monkeypatch: pytest.MonkeyPatch, tokenizer_dir: Path
) -> None:
    """Number of workers, time limits and strictness; making may take twice as long as scoring."""
    given: dict[str, Any] = {}

    class Recorded(WorkerPool):
        def __init__(self, **settings: Any) -> None:
            given.update(settings)
            super().__init__(**settings)

        async def start(self) -> None:
            raise PoolBroken("This pool does not start.")

    monkeypatch.setattr("rgenv.gym.settings.WorkerPool", Recorded)
    config = ReasoningGymEnvConfig(
        tokenizer_name=str(tokenizer_dir),
        use_wandb=False,
        scoring_workers=3,
        scoring_timeout=2.5,
        strict_verifiers=False,
    )
    env = ReasoningGymEnv(config, fake_config())
    with pytest.raises(StartupError, match="does not start"):
        await env.setup()
    await env.close()
    assert (given["workers"], given["scoring_timeout"]) == (3, 2.5)
    assert given["generation_timeout"] == 5.0
    assert given["settings"].strict is False
