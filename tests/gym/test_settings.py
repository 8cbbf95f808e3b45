"""rgenv/gym/settings.py: what determines problems and scores, and the start of the pool."""

from pathlib import Path
from typing import Any

import pytest

from rgenv.errors import BadUsage, MissingReasoningGym, PoolBroken, StartupError
from rgenv.gym import settings
from rgenv.gym.settings import Settings, read_settings, start_pool
from rgenv.pool.pool import WorkerPool


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"workers": 0}, "workers: must be from 1 to 1024, not 0"),
        ({"replica_id": 2, "num_replicas": 2}, "replica_id 2 does not exist among num_replicas 2"),
        ({"scoring_timeout": 0}, "above 0, not 0"),
        ({"random_level_range": (0.5, 0.2)}, r"random_level_range: must be two rising numbers"),
        ({"random_level_range": [0.5]}, "random_level_range has too few values"),
        ({"start_levels": {"gcd": 1.5}}, r"start_levels \(gcd\): must be from 0 to 1, not 1.5"),
        ({"task_weights": {"gcd": 0.0}}, r"task_weights \(gcd\): must be a positive .* exclude the task"),
        ({"task_configs": {"gcd": 5}}, "task_configs: that of gcd is 5: write a mapping"),
        ({"task_configs": {"gcd": {"x": [b"1"]}}}, r"task_configs: gcd\.x\[0\] is b'1': write"),
        ({"curriculum_target_accuracy": 0.99}, "accuracy: must be from 0.1 to 0.9, not 0.99"),
        ({"examples": 65}, "examples: must be from 0 to 64, not 65"),
        ({"answer_format": "boxd"}, "answer_format: 'boxd' must be tags, boxed, final_line, or"),
        ({"answer_format": "(a+)+b"}, "answer_format: .* one group, which is neither repeated"),
        ({"system_prompt": "boxed"}, "system_prompt asks for answers such as"),
        ({"system_prompt": "seeed"}, "system_prompt 'seeed' is no name or file: write default, re"),
        ({"system_prompt": None}, "system_prompt: is None: write default, reference"),
        ({"system_prompt": Path("/nowhere")}, "system_prompt '/nowhere' is no name or file"),
        ({"system_prompt": "/proc/self/mem"}, "system_prompt '/proc/self/mem' is no|can't be read"),
        ({"think_tags": ["<a>"]}, "think_tags: .* must be two different tags"),
        ({"question_template": ""}, "question_template: '' must have {question} once"),
        ({"think_tags": "<think>"}, "think_tags: .* must be two different tags"),
    ],
)
def test_a_value_that_makes_no_sense_is_refused(option: dict[str, Any], message: str) -> None:
    """The error says in one sentence what to write."""
    with pytest.raises(BadUsage, match=message):
        read_settings(**option)


async def test_the_pool_has_the_configured_workers_and_limits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One that can't be started ends the start; without the library, none is made."""
    made: list[dict[str, Any]] = []

    class Broken(WorkerPool):
        def __init__(self, **values: Any) -> None:
            super().__init__(**values)
            made.append(values)

        async def start(self) -> None:
            raise PoolBroken("No worker could be started (x).")

    def missing() -> str:
        raise MissingReasoningGym("run `pip install reasoning-gym`")

    monkeypatch.setattr(settings, "WorkerPool", Broken)
    with pytest.raises(StartupError, match="No worker could be started"):
        await start_pool(Settings(workers=3, scoring_timeout=2.5, strict_verifiers=False))
    monkeypatch.setattr(settings, "checkout_path", missing)
    with pytest.raises(StartupError, match="pip install"):
        await start_pool(Settings())
    [values] = made
    assert (values["workers"], values["scoring_timeout"]) == (3, 2.5)
    assert values["generation_timeout"] == 5.0
    assert values["settings"].strict is False


def test_a_system_prompt_is_a_name_a_text_or_a_file(tmp_path: Path) -> None:
    """A path may hold blanks, and a text that names no file is a text."""
    (tmp_path / "my prompt").write_text("Think, then write \\boxed{}.\n")

    def system(word: Any) -> str:
        return Settings(answer_format="boxed", system_prompt=word).dialogue.system

    assert system(tmp_path / "my prompt") == system(str(tmp_path / "my prompt"))
    assert system(tmp_path / "my prompt") == "Think, then write \\boxed{}.\n"
    assert system("Be brief.") == "Be brief." and system("none") == ""
    assert "\\boxed{}" in system("boxed") and "\\boxed{}" in system("default")
