"""reasoning_gym_environment.py: the command line, its values and its error messages."""

from pathlib import Path

import pytest

from reasoning_gym_environment import ReasoningGymEnv, main


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[ReasoningGymEnv]:
    """Environments whose command was started; the commands do nothing."""
    seen: list[ReasoningGymEnv] = []

    async def remember(env: ReasoningGymEnv) -> None:
        seen.append(env)

    for loop in ("env_manager", "process_manager", "_run_evaluate"):
        monkeypatch.setattr(ReasoningGymEnv, loop, remember)
    monkeypatch.setattr("sys.argv", ["reasoning_gym_environment.py"])
    return seen


def serve(tokenizer_dir: Path, *words: str, command: str = "serve") -> int:
    return main([command, "--env.tokenizer_name", str(tokenizer_dir), *words])


def test_yaml_and_flags_meet(
    ran: list[ReasoningGymEnv], tokenizer_dir: Path, tmp_path: Path
) -> None:
    config = tmp_path / "run.yaml"
    config.write_text(
        "env:\n  task_names: [gcd, lcm]\n  complexity_mode: random\n  seed: 3\n"
        "  task_configs:\n    gcd: {min_numbers: 3}\n"
        "openai:\n  - model_name: from-yaml\n"
    )
    assert serve(tokenizer_dir, "--config", str(config), "--env.seed", "4") == 0
    [env] = ran
    assert env.config.seed == 4 and env.config.complexity_mode == "random"
    assert env.config.task_configs == {"gcd": {"min_numbers": 3}}
    assert env.server.servers[0].config.model_name == "from-yaml"
