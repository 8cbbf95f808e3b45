"""rgenv/atropos/arguments.py: the words of a command line, normalized."""

import pytest

from rgenv.atropos.arguments import Flag, canonical
from rgenv.errors import BadUsage

FLAGS = {
    "env.seed": Flag(),
    "env.mode": Flag(may_be_none=True),
    "env.task_names": Flag(takes_many=True),
    "openai.tokenizer_name": Flag(),
}


@pytest.mark.parametrize(
    ("words", "normalized"),
    [
        (["--env.seed", "-1"], ["--env.seed=-1"]),
        (["--env.seed=-1"], ["--env.seed=-1"]),
        (["--env.mode", "none"], ["--env.mode=None"]),
        (["--env.mode=None"], ["--env.mode=None"]),
        (["--env.mode", "NULL"], ["--env.mode=None"]),
        (["--openai.tokenizer_name", "none"], ["--openai.tokenizer_name=none"]),
        (["--env.task_names", "gcd", "lcm"], ["--env.task_names=gcd,lcm"]),
        (
            ["--env.task_names", "gcd,lcm", "--env.seed", "1"],
            ["--env.task_names=gcd,lcm", "--env.seed=1"],
        ),
        (["--env.mode", ""], ["--env.mode="]),
        ([], []),
    ],
)
def test_each_option_becomes_one_word(words: list[str], normalized: list[str]) -> None:
    """Values may follow a space or an equals sign, start with a minus, be none or a list."""
    assert canonical(words, FLAGS) == normalized


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--env.sed", "1"], "Did you mean --env.seed"),
        (["--env.seed"], "--env.seed needs a value"),
        (["--env.seed", "--env.mode", "none"], "--env.seed needs a value"),
        (["--env.seed", "1", "2"], "'2' belongs to no option"),
        (["seed"], "'seed' belongs to no option"),
    ],
)
def test_bad_usage_is_an_error(words: list[str], message: str) -> None:
    """The message has the word and the remedy."""
    with pytest.raises(BadUsage, match=message):
        canonical(words, FLAGS)
