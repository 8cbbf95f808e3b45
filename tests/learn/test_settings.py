"""The environment's settings for the commands of a run."""

from pathlib import Path

import pytest
import yaml

from examples.learn.settings import evaluate_settings, process_settings, serve_settings
from tests.support.paths import ROOT

OUTPUT = Path("out")
ALL = {
    "process": process_settings("http://p", OUTPUT, seed=3, items=10),
    "serve": serve_settings("http://a", "http://s", OUTPUT, seed=3, group_size=8, eval_items=5),
    "evaluate": evaluate_settings(
        "http://s", OUTPUT, OUTPUT / "step-1", eval_items=5, earlier=OUTPUT / "step-0"
    ),
}


@pytest.mark.parametrize("command", ALL)
def test_all_commands_use_the_same_problems(command: str) -> None:
    """Tasks, configurations, tokenizer and length limit agree between the commands."""
    assert {name: value for name, value in ALL[command].items() if name.startswith("env.task")} == {
        "env.task_names": "spell_backward,spiral_matrix",
        "env.task_weights": '{"spell_backward": 2, "spiral_matrix": 1}',
        "env.task_configs": '{"spiral_matrix": {"min_n": 2, "max_n": 3}}',
    }
    assert ALL[command]["env.max_token_length"] == ALL[command]["env.eval_max_tokens"] == 128
    assert ALL[command]["env.tokenizer_name"] == OUTPUT / "tokenizer"


def test_training_holds_out_what_is_evaluated() -> None:
    """Training and evaluation have the same held-out problems and sampling temperature."""
    for name in ("env.num_eval_samples_per_task", "env.eval_levels"):
        assert ALL["serve"][name] == ALL["evaluate"][name]
    assert ALL["serve"]["env.temperature"] == ALL["evaluate"]["env.eval_temperature"]


def test_the_report_compares_with_the_model_before_training() -> None:
    """An evaluation after training is compared with the one before it, by its folder."""
    assert ALL["evaluate"]["env.eval_compare"] == OUTPUT / "step-0"
    first = evaluate_settings("http://s", OUTPUT, OUTPUT / "step-0", eval_items=5)
    assert "env.eval_compare" not in first


def test_training_chooses_tasks_and_levels_as_recommended() -> None:
    """Its options for that are those of configs/recommended.yaml, and no others."""
    recommended = yaml.safe_load((ROOT / "configs" / "recommended.yaml").read_text())["env"]
    names = ("complexity_mode", "curriculum_target_accuracy")
    assert {name: ALL["serve"].get(f"env.{name}") for name in names} == {
        name: recommended.get(name) for name in names
    }
