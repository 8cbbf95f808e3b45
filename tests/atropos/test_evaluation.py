"""rgenv/atropos/evaluation.py: how an evaluation samples, and where its results go."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from rgenv.atropos.config import ReasoningGymEnvConfig
from rgenv.atropos.evaluation import evaluation_folder, evaluation_sampling, prompt_definition
from rgenv.dialogue.prompts import DIALOGUE
from rgenv.errors import BadUsage


def test_without_a_folder_each_definition_has_its_own() -> None:
    """It is in `evals` and has the name of the model."""

    def folder(**about: Any) -> Path | None:
        return evaluation_folder(None, {"step": None, "model": "a/B 1.5", **about}, always=True)

    assert folder() == folder() != folder(limit=3)
    found = folder()
    assert found is not None
    assert found.parent == Path("evals") and found.name.startswith("a-B-1.5-")
    hostile = folder(model="../../etc/" + "x" * 300)
    assert hostile is not None and hostile.parent == Path("evals") and len(hostile.name) < 80
    assert evaluation_folder("x", {"step": None}, always=True) == Path("x")


def configured(**options: Any) -> ReasoningGymEnvConfig:
    return ReasoningGymEnvConfig(max_token_length=100, **options)


def test_changes_of_requests_that_no_server_reads_are_refused() -> None:
    """Servers that return tokens have no chat API."""
    assert evaluation_sampling(configured(), chat_only=False).max_tokens == 200
    of_training = evaluation_sampling(
        configured(temperature=0.9), chat_only=False, as_in_training=True
    )
    assert of_training.max_tokens == 100 and of_training.temperature == 0.9
    assert of_training.limit_option == "max_token_length"
    with pytest.raises(BadUsage, match=r"eval_request.*server_type openai"):
        evaluation_sampling(configured(eval_request={"a": 1}), chat_only=False)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("model=x", "model is set by the environment"),
        ({"n": 2}, "n is set by the environment"),
        ("temperature", "write name=value,... or JSON, not 'temperature'"),
        ("=3", "write name=value"),
        ("{", "not valid JSON"),
    ],
)
def test_impossible_changes_are_named(value: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        configured(eval_request=value)


def test_a_key_in_a_request_stands_in_no_report() -> None:
    """Some proxies take one there; a report and its evaluation.json are passed on."""
    config = configured(eval_request="api_key=sk-marked,user=me")
    sampling = evaluation_sampling(config, chat_only=True)
    policy: Any = SimpleNamespace(
        model="m", evaluation=sampling, dialogue=DIALOGUE, chat_template=None
    )
    assert prompt_definition(config, policy, "0.1")["request"] == {"user": "me"}
    assert sampling.request["api_key"] == "sk-marked"
