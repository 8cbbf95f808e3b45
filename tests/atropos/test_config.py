"""What the constructor of an environment says of a configuration and of servers."""

import asyncio
from pathlib import Path
from typing import Annotated, Any

import pytest
from atroposlib.envs.base import APIServerConfig
from atroposlib.envs.server_handling.server_baseline import ServerBaseline
from pydantic import BeforeValidator, ConfigDict, Field, SecretStr

from reasoning_gym_environment import ReasoningGymEnv, ReasoningGymEnvConfig
from rgenv.errors import BadUsage

CONFIG, SERVERS = ReasoningGymEnv.config_init()

WRONG = [
    ({"group_sise": 2}, ["There is no option group_sise. Did you mean group_size?"]),
    ({"complexity_mode": "hard", "seed": None}, ["not 'hard'.", "seed must be a whole number"]),
    ({"temperature": "hot", "nosuch": 1}, ["temperature must be a number, not 'hot'.", "nosuch."]),
    ({"random_level_range": (1, 0)}, ["random_level_range: must be two rising numbers"]),
    ({"tokenizer_name": None, "scoring_workers": 0}, ["tokenizer_name must be text", "from 1 to"]),
    ({"answer_format": "("}, ["answer_format: '(' is not a regular expression"]),
    ({"replica_id": 3}, ["replica_id 3 does not exist"]),
]


@pytest.mark.parametrize(("update", "sentences"), WRONG)
def test_an_update_of_the_configuration_is_checked(
    update: dict[str, Any], sentences: list[str]
) -> None:
    with pytest.raises(BadUsage) as caught:
        ReasoningGymEnv(CONFIG.model_copy(update=update), SERVERS, testing=True)
    assert all(sentence in str(caught.value) for sentence in sentences)


def test_a_value_may_be_what_a_command_line_takes(tokenizer_dir: Path) -> None:
    words = {"group_size": "4", "eval_levels": "0.5,none", "task_names": "maze"}
    config = CONFIG.model_copy(update={**words, "tokenizer_name": str(tokenizer_dir)})
    assigned, names = config.model_copy(), config.model_fields_set.copy()
    assigned.group_size = 0
    env = ReasoningGymEnv(config, SERVERS, testing=True)
    assert env.config is config and config.model_fields_set == names
    found = config.group_size, config.eval_levels, config.task_names
    assert found == (4, [0.5, None], ["maze"])
    with pytest.raises(BadUsage, match="group_size"):
        ReasoningGymEnv(assigned, SERVERS, testing=True)
    env.config.group_size = 0
    with pytest.raises(BadUsage, match="group_size"):
        asyncio.run(env.setup())


@pytest.mark.parametrize("url", [None, "localhost:9004"])
def test_a_server_has_an_address(url: str | None) -> None:
    with pytest.raises(BadUsage, match=r"--openai\.base_url.*http://"):
        ReasoningGymEnv(CONFIG, [APIServerConfig(server_type="vllm", base_url=url)])


@pytest.mark.parametrize(
    ("config", "servers", "found"),
    [
        ({"task_names": ["gcd"]}, SERVERS, r"dict and \[APIServerConfig\]"),
        (CONFIG, [], r"ReasoningGymEnvConfig and \[\]"),
        (CONFIG, None, r"ReasoningGymEnvConfig and \[NoneType\]"),
        (CONFIG, ["x"], r"ReasoningGymEnvConfig and \[str\]"),
        (SERVERS, CONFIG, r"list and \[ReasoningGymEnvConfig\]"),
    ],
)
def test_what_is_no_configuration_or_no_server_is_named(
    config: Any, servers: Any, found: str
) -> None:
    with pytest.raises(BadUsage, match=f"as config_init\\(\\) returns them, not {found}"):
        ReasoningGymEnv(config, servers)


def test_options_of_a_subclass_are_its_own(tokenizer_dir: Path) -> None:
    """Its validators read text only, its option of ours has other values, and it has a secret."""

    class OwnConfig(ReasoningGymEnvConfig):
        model_config = ConfigDict(extra="allow")

        words: Annotated[list[str], BeforeValidator(str.split)] = Field(alias="own_words")
        password: SecretStr = SecretStr("x")
        problems: Any = "library"

    class Own(ReasoningGymEnv):
        env_config_cls = OwnConfig

    values = {"tokenizer_name": str(tokenizer_dir), "problems": "mine", "further": 1}
    config: Any = OwnConfig(**values, own_words="a b", password="secret")
    config = config.model_copy(update={"answer_format": "boxed", "more": 2})
    env = Own(config, ServerBaseline(), testing=True)
    found = env.config.words, env.config.password.get_secret_value(), env.config.problems
    assert found == (["a", "b"], "secret", "mine")
    assert config.model_extra == {"further": 1, "more": 2}
    with pytest.raises(BadUsage, match="group_size"):
        Own(config.model_copy(update={"group_size": 0}), SERVERS)
