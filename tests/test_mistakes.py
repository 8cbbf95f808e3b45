"""rgenv/mistakes.py: what is wrong with a value, in a sentence."""

from typing import Any

import pytest
from pydantic import ValidationError

from reasoning_gym_environment import ReasoningGymEnvConfig
from rgenv.mistakes import invalid_values


def message(**values: Any) -> str:
    """Return what is said about a configuration."""
    with pytest.raises(ValidationError) as refused:
        ReasoningGymEnvConfig(**values)
    return invalid_values(refused.value, lambda name: f"--env.{name}")


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("seed", "many", "--env.seed must be a whole number, not 'many'."),
        ("seed", 1.5, "--env.seed must be a whole number, not 1.5."),
        ("seed", None, "--env.seed must be a whole number, not None."),
        ("temperature", "hot", "--env.temperature must be a number, not 'hot'."),
        ("temperature", -1, "--env.temperature: must be from 0 to 1e+09, not -1.0."),
        ("top_p", 2, "--env.top_p must be at most 1, not 2."),
        ("dump_rollouts", "perhaps", "--env.dump_rollouts must be true or false, not 'perhaps'."),
        ("data_dumps_dir", 3, "--env.data_dumps_dir must be text, not 3."),
        ("task_names", 3, "--env.task_names must be a list, not 3."),
        ("task_names", ["gcd", 3], "--env.task_names (1) must be text, not 3."),
        ("task_weights", [], "--env.task_weights must be a mapping, not []."),
        ("task_weights", {"gcd": "x"}, "--env.task_weights (gcd) must be a number, not 'x'."),
        (
            "complexity_mode",
            "Random",
            "--env.complexity_mode must be 'random' or 'curriculum', or none, not 'Random'. "
            "Did you mean random?",
        ),
        (
            "eval_handling",
            "none",
            "--env.eval_handling must be 'STOP_TRAIN', 'LIMIT_TRAIN' or 'NONE', not 'none'. "
            "Did you mean NONE?",
        ),
        ("random_level_range", "0.5", "--env.random_level_range has too few values."),
        ("random_level_range", "0,1,1", "--env.random_level_range has more than 2 values."),
        (
            "task_configs",
            "{",
            "--env.task_configs: this is not valid JSON: Expecting property name enclosed in "
            "double quotes: line 1 column 2 (char 1).",
        ),
        ("task_weights", "gcd=1,gcd=2", "--env.task_weights: 'gcd' comes twice."),
        ("task_weights", "[1]", "--env.task_weights: write name=value,... or JSON, not '[1]'."),
        (
            "chat_template",
            "chatlm",
            "--env.chat_template: there is no chat template 'chatlm': write plain, chatml, llama3 "
            "or the path of a Jinja file. Did you mean chatml?",
        ),
        ("sed", 1, "There is no option --env.sed."),
    ],
)
def test_a_wrong_value_is_one_sentence(field: str, value: Any, sentence: str) -> None:
    assert message(**{field: value}) == sentence
