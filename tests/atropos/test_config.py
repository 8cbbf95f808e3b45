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
    ({"group_sise": 2}, "There is no option group_sise. Did you mean group_size?"),
    ({"group_size": 0}, "group_size: must be from 1 to 4096, not 0."),
    ({"temperature": "hot"}, "temperature must be a number, not 'hot'."),
    ({"seed": None, "top_p": 2}, "seed must be a whole number, not None."),
    ({"tokenizer_name": None}, "tokenizer_name must be text"),
    *(({"tokenizer_name": f"{at}no/such"}, "there is no folder") for at in ("./", "/", "~/", "a/")),
    ({"seed": "many"}, "seed must be a whole number, not 'many'."),
    ({"seed": 1.5}, "seed must be a whole number, not 1.5."),
    ({"temperature": -1}, "temperature: must be from 0 to 1e+09, not -1.0."),
    ({"top_p": 2}, "top_p must be at most 1, not 2."),
    ({"dump_rollouts": "perhaps"}, "dump_rollouts must be true or false, not 'perhaps'."),
    ({"task_names": 3}, "task_names must be a list, not 3."),
    ({"task_names": ["gcd", 3]}, "task_names (1) must be text, not 3."),
    ({"task_weights": []}, "task_weights must be a mapping, not []."),
    ({"task_weights": {"gcd": "x"}}, "task_weights (gcd) must be a number, not 'x'."),
    ({"task_weights": "gcd=1,gcd=2"}, "task_weights: 'gcd' comes twice."),
    ({"task_weights": "[1]"}, "task_weights: write name=value,... or JSON, not '[1]'."),
    ({"task_configs": "{"}, "JSON: Expecting property name enclosed in double quotes: line 1 col"),
    ({"complexity_mode": "Random"}, "must be 'random' or 'curriculum', or none, not 'Random'."),
    ({"reasoning_effort": "maximal"}, "must be 'none', 'minimal', 'low'"),
    ({"eval_handling": "none"}, "or 'NONE', not 'none'. Did you mean NONE?"),
    ({"random_level_range": "0.5"}, "random_level_range has too few values."),
    ({"random_level_range": "0,1,1"}, "random_level_range has more than 2 values."),
    ({"chat_template": "chatlm"}, "plain, chatml, llama3 or the path of a Jinja file. Did you m"),
    ({"random_level_range": (1, 0)}, "random_level_range: must be two rising numbers"),
    ({"answer_format": "("}, "answer_format: '(' is not a regular expression"),
    ({"replica_id": 3}, "replica_id 3 does not exist"),
]


@pytest.mark.parametrize(("update", "sentence"), WRONG)
def test_an_update_of_the_configuration_is_checked(update: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadUsage) as caught:
        ReasoningGymEnv(CONFIG.model_copy(update=update), SERVERS, testing=True)
    assert sentence in str(caught.value)


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
