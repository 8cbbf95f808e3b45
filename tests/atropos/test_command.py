"""rgenv/atropos/command.py: what the errors of a command become."""

from pathlib import Path

import pytest
from openai import OpenAIError

from reasoning_gym_environment import ReasoningGymEnv
from rgenv.atropos import command as cli
from rgenv.errors import PoolBroken, UnknownTask


@pytest.fixture(autouse=True)
def _in_a_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def process(monkeypatch: pytest.MonkeyPatch, tokenizer_dir: Path, error: Exception) -> int:
    """Run `process`, which raises an error; return its exit code."""

    async def fail(_env: ReasoningGymEnv) -> None:
        raise error

    monkeypatch.setattr(ReasoningGymEnv, "process_manager", fail)
    return cli.run_words(ReasoningGymEnv, ["process", f"--env.tokenizer_name={tokenizer_dir}"])


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (PoolBroken("no server answers"), 1),
        (OSError("no server answers"), 1),
        (UnknownTask("no server answers"), 2),
    ],
)
def test_an_expected_error_is_one_sentence_and_an_exit_code(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tokenizer_dir: Path,
    error: Exception,
    code: int,
) -> None:
    """The exit code is 2 for bad usage and 1 if something is missing."""
    assert process(monkeypatch, tokenizer_dir, error) == code
    assert capsys.readouterr().err.splitlines() == ["error: no server answers"]


def test_a_server_without_a_key_is_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tokenizer_dir: Path
) -> None:
    """A subclass may add servers; OpenAI's client refuses to be made without a key."""
    error = OpenAIError("The api_key client option\nmust be set.")
    assert process(monkeypatch, tokenizer_dir, error) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert "(The api_key client option must be set.): set the api_key" in line
