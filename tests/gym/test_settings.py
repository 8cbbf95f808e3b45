"""rgenv/gym/settings.py: what determines problems and scores."""

from pathlib import Path
from typing import Any

import pytest

from rgenv.errors import BadUsage
from rgenv.gym.settings import Settings, read_settings


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"workers": 0}, "workers: must be from 1 to 1024, not 0"),
        ({"replica_id": 2, "num_replicas": 2}, "replica_id 2 does not exist among num_replicas 2"),
        ({"random_level_range": (0.5, 0.2)}, r"random_level_range: must be two rising numbers"),
        ({"start_levels": {"gcd": 1.5}}, r"start_levels \(gcd\): must be from 0 to 1, not 1.5"),
        ({"task_weights": {"gcd": 0.0}}, r"task_weights \(gcd\): .* exclude the task"),
        ({"task_configs": {"gcd": 5}}, r"task_configs \(gcd\) must be a mapping, not 5"),
        ({"task_configs": {"gcd": {"x": [b"1"]}}}, r"config\.x\[0\] is b'1': write"),
        ({"curriculum_target_accuracy": 0.99}, "accuracy: must be from 0.1 to 0.9, not 0.99"),
        ({"answer_format": "boxd"}, "answer_format: 'boxd' must be tags, boxed, final_line, or"),
        ({"answer_format": "(a+)+b"}, "answer_format: .* one group, which is neither repeated"),
        ({"system_prompt": "boxed"}, "system_prompt asks for answers such as"),
        ({"system_prompt": "seeed"}, "system_prompt 'seeed' is neither a name nor a file: write"),
        ({"system_prompt": None}, "system_prompt must be text, not None"),
        ({"system_prompt": ""}, "system_prompt '' is neither a name nor a file: write default"),
        ({"scoring_timeout": 0}, "scoring_timeout must be greater than 0, not 0"),
        ({"seed": 10**70}, r"seed must be at most 1e\+60, not 1000"),
        ({"think_tags": ["<a>"]}, "think_tags: .* must be two different tags"),
        ({"question_template": ""}, "question_template: '' must have {question} once"),
    ],
)
def test_a_value_that_makes_no_sense_is_refused(option: dict[str, Any], message: str) -> None:
    with pytest.raises(BadUsage, match=message):
        read_settings(**option)


def test_a_system_prompt_is_a_name_a_text_or_a_file(tmp_path: Path) -> None:
    """A path may hold blanks, and a text that names no file is a text."""
    (tmp_path / "my prompt").write_text("Think, then write \\boxed{}.\n")

    def system(word: Any) -> str:
        return Settings(answer_format="boxed", system_prompt=word).dialogue.system

    assert system(tmp_path / "my prompt") == system(str(tmp_path / "my prompt"))
    assert system(tmp_path / "my prompt") == "Think, then write \\boxed{}.\n"
    assert system("Be brief.") == "Be brief." and system("none") == ""
    assert system("Think.\nWrite.") == "Think.\nWrite."
    assert "\\boxed{}" in system("boxed") and "\\boxed{}" in system("default")
