"""rgenv/cli/arguments.py: the words of a command line, normalized."""

import pytest

from rgenv.cli.arguments import Option, given, near
from rgenv.errors import BadUsage

OPTIONS = [
    Option("env.seed"),
    Option("env.mode", may_be_none=True),
    Option("env.task_names", takes_many=True, adds_up=True),
    Option("env.task_weights", takes_many=True, adds_up=True),
    Option("env.range", takes_many=True),
    Option("env.force", type="boolean"),
    Option("openai.tokenizer_name"),
    Option("openai.timeout"),
    Option("env.tokenizer_name"),
]


def as_words(words: list[str]) -> list[str]:
    """Return each option that is given as one word."""
    return [f"--{name}={value}" for name, value in given(words, OPTIONS).items()]


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
        (["--env.range", "0.2", "0.8"], ["--env.range=0.2,0.8"]),
        (["--force"], ["--env.force=true"]),
        (["--tasks", "gcd,lcm"], ["--env.task_names=gcd,lcm"]),
        (["--force", "--env.seed", "1"], ["--env.force=true", "--env.seed=1"]),
        (["--env.force", "false"], ["--env.force=false"]),
        ([], []),
    ],
)
def test_each_option_becomes_one_word(words: list[str], normalized: list[str]) -> None:
    """Values may follow a space or an equals sign, start with a minus, be none or a list."""
    assert as_words(words) == normalized


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--env.sed", "1"], "Did you mean --env.seed"),
        (["--env.seed"], "--env.seed needs a value"),
        (["--env.seed", "--env.mode", "none"], "--env.seed needs a value"),
        (["--env.seed", "1", "2"], "'2' belongs to no option"),
        (["seed"], "'seed' belongs to no option"),
        (["--env.force"], "--env.force needs a value: write --env.force true."),
    ],
)
def test_bad_usage_is_an_error(words: list[str], message: str) -> None:
    """The message has the word and the remedy."""
    with pytest.raises(BadUsage, match=message):
        as_words(words)


@pytest.mark.parametrize(
    ("words", "normalized"),
    [
        (["--env.task_names", "gcd", "--env.task_names", "maze"], "--env.task_names=gcd,maze"),
        (["--env.task_names=gcd,lcm", "--env.task_names=maze"], "--env.task_names=gcd,lcm,maze"),
        (["--env.task_weights", "a=1", "--env.task_weights", "b=2"], "--env.task_weights=a=1,b=2"),
        (["--env.seed", "1", "--env.seed", "2"], "--env.seed=2"),
        (["--env.range", "0", "1", "--env.range", "0.5", "1"], "--env.range=0.5,1"),
        (["--env.mode", "x", "--env.mode", "none"], "--env.mode=None"),
    ],
)
def test_a_list_that_is_given_twice_adds_up(words: list[str], normalized: str) -> None:
    """Lists and mappings that are given twice are joined; else the last value counts."""
    assert as_words(words) == [normalized]


def test_a_json_mapping_that_is_given_twice_is_refused() -> None:
    """Two JSON objects can't be joined as text, so the user is asked to write one."""
    words = ["--env.task_weights", '{"a": 1}', "--env.task_weights", '{"b": 2}']
    with pytest.raises(
        BadUsage, match=r"--env\.task_weights is given twice: write one JSON object"
    ):
        as_words(words)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("env.sed", "env.seed"),
        ("seed", "env.seed"),
        ("openai.seed", "env.seed"),
        ("env.task-names", "env.task_names"),
        ("env.TASK_NAMES", "env.task_names"),
        ("env.timout", "openai.timeout"),
        ("openai.tokenizer_nam", "openai.tokenizer_name"),
        ("env.tokenizer_nam", "env.tokenizer_name"),
        ("env.colour", None),
    ],
)
def test_the_nearest_name_is_of_the_same_namespace_if_possible(
    name: str, expected: str | None
) -> None:
    """The part after the namespace decides; a name that is like none has no suggestion."""
    assert near(name, [option.name for option in OPTIONS]) == ([expected] if expected else [])
