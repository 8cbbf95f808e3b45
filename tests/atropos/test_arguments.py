"""rgenv/atropos/arguments.py: the command line as it is meant."""

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
    ("words", "meant"),
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
def test_every_way_of_writing_a_value_means_the_same(words: list[str], meant: list[str]) -> None:
    """A space, an equals sign, a minus, none and lists all arrive as written."""
    assert canonical(words, FLAGS) == meant


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--env.sed", "1"], "Did you mean --env.seed"),
        (["--env.seed"], "--env.seed needs a value"),
        (["--env.seed", "--env.mode", "none"], "--env.seed needs a value"),
        (["--env.seed", "1", "2"], "'2' belongs to no flag"),
        (["seed"], "'seed' belongs to no flag"),
    ],
)
def test_what_cannot_be_meant_is_said(words: list[str], message: str) -> None:
    """Bad usage is an error that names the word and the remedy."""
    with pytest.raises(BadUsage, match=message):
        canonical(words, FLAGS)
