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


VALUES = """
--env.seed -1 --env.complexity_mode none --env.task_names gcd lcm --env.task_weights gcd=2
--env.use_wandb False --env.max_reasoning_tokens none --openai.api_key none --env.group_size 4
--openai.model_name m --openai.timeout 30
""".split()


def test_values_arrive_as_meant(ran: list[ReasoningGymEnv], tokenizer_dir: Path) -> None:
    """Negative numbers, none, lists, mappings and booleans may follow after a space."""
    code = serve(tokenizer_dir, *VALUES)
    [env] = ran
    assert code == 0
    assert (env.config.seed, env.config.complexity_mode) == (-1, None)
    assert env.config.task_names == ["gcd", "lcm"] and env.config.task_weights == {"gcd": 2.0}
    assert env.config.max_reasoning_tokens is None and env.config.group_size == 4
    [server] = env.server.servers
    assert (server.config.model_name, server.config.timeout) == ("m", 30)
    assert server.config.tokenizer_name == str(tokenizer_dir) and server.config.api_key


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
