"""rgenv/secrets.py: keys, passwords and tokens in texts, configurations and output."""

import sys

import pytest

from rgenv.errors import RequestFailed
from rgenv.secrets import (
    hidden_in_output,
    hide,
    remember,
    remember_words,
    without_secrets,
)
from rgenv.text import MOST_SHOWN, one_line

KEY = "sk-marked-4f1c22"


def test_known_values_are_hidden() -> None:
    remember_words(["serve", "--openai.api_key", KEY, "second-w0rd", "--t.api_key=teach-me-4f1c"])
    url = "http://me:let-me@in-4f1c@host/v1?key=query-4f1c&n=1"
    remember({"openai": [{"api_key": ["in-a-list-4f1c"], "base_url": url}]})
    remember("http://tok3n-4f1c@h?token=a+4f1c")
    values = KEY, "second-w0rd", "teach-me-4f1c", "in-a-list-4f1c", "let-me@in-4f1c", "query-4f1c"
    for value in (*values, "tok3n-4f1c", "a+4f1c"):
        assert hide(f"no: {value}.") == "no: ***."
    assert hide("http://me:let-me@in-4f1c@host/v1?n=1") == "http://***@host/v1?n=1"
    remember({"api_key": "x", "mail": "somebody@host.org"})  # a key that local servers get
    plain = "exit serve --openai.api_key http://host:8000/v1 of somebody"
    assert hide(plain) == plain


def test_a_configuration_loses_its_secrets() -> None:
    config = {
        "env": {"max_token_length": 5, "rollout_server_url": "http://a:secret-5f@h/"},
        "openai": [{"api_key": KEY, "model_name": "m"}],
        "teacher": {"hf_token": KEY, "deep": ({"password": "p"},)},
    }
    remember(config)
    assert without_secrets(config) == {
        "env": {"max_token_length": 5, "rollout_server_url": "http://***@h/"},
        "openai": [{"model_name": "m"}],
        "teacher": {"deep": [{}]},
    }


def test_output_hides_secrets(capsys: pytest.CaptureFixture[str]) -> None:
    remember({"api_key": KEY})
    with hidden_in_output():
        print(f"key {KEY}")
        sys.stderr.writelines([f"a {KEY}\n", "b\n"])
    print(KEY)
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == (f"key ***\n{KEY}\n", "a ***\nb\n")


def test_what_is_logged_or_saved_of_a_server_hides_secrets() -> None:
    remember({"api_key": KEY})
    assert KEY[:6] not in one_line("x" * (MOST_SHOWN - 8) + KEY)
    failed = RequestFailed(f"The server refused {KEY}")
    assert KEY not in str(failed)
