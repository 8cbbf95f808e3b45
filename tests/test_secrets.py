"""rgenv/secrets.py: keys, passwords and tokens in texts, configurations and output."""

import base64
import sys

import pytest

from rgenv.errors import RequestFailed
from rgenv.secrets import (
    hidden_in_output,
    hide,
    is_secret,
    remember,
    remember_words,
    without_secrets,
)
from rgenv.text import LONGEST_SECRET, MOST_SHOWN, one_line
from tests.support.timing import processor_seconds

KEY = "sk-marked-4f1c22"


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("GET http://me:p%40ss@host:8000/v1", "GET http://***@host:8000/v1"),
        ("url='https://host/v1?token=abc&n=1#x'", "url='https://host/v1?token=***&n=***#x'"),
        ("http://tok3n@host", "http://***@host"),
        ("'me:pw@host:8000' is no address", "'***@host:8000' is no address"),
        ("'host:8000?token=abc' is no address", "'host:8000?token=***' is no address"),
        ("http://me:p@ss@host/a", "http://***@host/a"),
        ("http://me:p/s?s#4@host/a", "http://***@host/a"),
        ("x" * 60 + "http://me:pw@host", "x" * 60 + "http://***@host"),
        ("http://host:8000/a@b and http://host/a:b@c", None),
        ("Merged Dict: {'api_key': 'abcdefgh', 'n': 1}", "Merged Dict: {'api_key': '***', 'n': 1}"),
        ("  - api_key: abcdefgh", "  - api_key: ***"),
        ("Authorization: Bearer abcdefgh", "Authorization: Bearer ***"),
        ("http://host:8000/v1 has 5 tokens: max_tokens=512", None),
        ("--openai.api_key: Input should be a valid string", None),
        ("The tokenizer 'org/model' can't be loaded", None),
        ("12:30:05 a@b.c wrote to model@v2: see http://host/a?", None),
    ],
)
def test_a_secret_is_hidden_by_its_place(text: str, hidden: str | None) -> None:
    """User, password and query of a URL, and the value behind a secret's name, become ***."""
    assert hide(text) == (text if hidden is None else hidden)


@pytest.mark.parametrize(
    "unit", ["a.", "a-", "a:", "a:b@", "http://", "http://?a", "//a:b", "?a=", "api_key=", "x?a-"]
)
def test_no_text_takes_long(unit: str) -> None:
    """A server chooses the text of an error: two seconds, where it took a minute."""
    with processor_seconds(2):
        hide(unit * 20_000)


def test_a_secret_is_hidden_by_its_value() -> None:
    """A key of a command line, a configuration or a URL is hidden wherever it stands."""
    remember_words(
        ["serve", "--openai.api_key", KEY, "second-w0rd", "--teacher.api_key=teach-me-4f1c"]
    )
    url = "http://me:let-me-in-4f1c@host?key=query-4f1c"
    remember({"openai": [{"api_key": "in-a-list-4f1c", "base_url": url}]})
    in_words, in_config = ("second-w0rd", "teach-me-4f1c"), ("in-a-list-4f1c", "let-me-in-4f1c")
    for value in (KEY, *in_words, *in_config, "query-4f1c"):
        assert hide(f"no: {value}.") == "no: ***."
    assert hide("serve --openai.api_key") == "serve --openai.api_key"


def test_a_secret_is_hidden_as_requests_and_json_have_it() -> None:
    """A server may quote the header or the URL that it got, or JSON that escapes the key."""
    remember({"api_key": 'sk/4f1c+"', "url": "http://us%C3%A9r:p%C3%A9%40ss@h?key=a%2Fb+4f1c"})
    remember("http://tok3n-4f1c@h")
    sent = ["us\u00e9r:p\u00e9@ss", "tok3n-4f1c:"]
    headers = [base64.b64encode(text.encode("latin1")).decode() for text in sent]
    for value in (r"sk\/4f1c+\"", r"sk/4f1c+\"", "sk%2F4f1c%2B%22", "a/b+4f1c", *headers):
        assert hide(f"no: {value}.") == "no: ***."


def test_placeholder_keys_hide_nothing() -> None:
    """The key x, which local servers get, does not become *** in every text."""
    remember({"api_key": "x"})
    assert hide("exit 2") == "exit 2"


def test_a_configuration_loses_its_secrets() -> None:
    """Keys are left out at any depth; URLs keep host and path; other values stay."""
    config = {
        "env": {
            "tokenizer_name": "t",
            "max_token_length": 5,
            "rollout_server_url": "http://a:b@h/",
        },
        "openai": [{"api_key": KEY, "model_name": "m"}],
        "teacher": {"hf_token": KEY, "deep": ({"password": "p"},)},
    }
    assert without_secrets(config) == {
        "env": {
            "tokenizer_name": "t",
            "max_token_length": 5,
            "rollout_server_url": "http://***@h/",
        },
        "openai": [{"model_name": "m"}],
        "teacher": {"deep": [{}]},
    }


def test_names_of_secrets() -> None:
    """Names that end with api_key, token, password and the like are those of secrets."""
    secret = "openai.api_key WANDB_API_KEY AWS_SECRET_ACCESS_KEY HF_TOKEN X-Api-Key".split()
    assert all(map(is_secret, secret))
    assert not any(map(is_secret, "env.tokenizer_name max_tokens env.seed".split()))


def test_output_hides_secrets(capsys: pytest.CaptureFixture[str]) -> None:
    """Both streams hide secrets within the context and are as before after it."""
    remember({"api_key": KEY})
    with hidden_in_output():
        print(f"key {KEY}")
        sys.stderr.writelines([f"a {KEY}\n", "b\n"])
    print(KEY)
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == (f"key ***\n{KEY}\n", "a ***\nb\n")


def test_no_part_of_a_secret_is_left_where_a_text_is_cut() -> None:
    """Wherever a server puts the key, and whatever stands before it."""
    key = "key-" + "z" * 60
    remember({"api_key": key})
    for blanks in range(20 * MOST_SHOWN - 2 * len(key), 20 * MOST_SHOWN + 2 * len(key)):
        for length in (0, LONGEST_SECRET):
            assert "zzz" not in one_line(" " * (blanks + length) + key + "x" * LONGEST_SECRET * 2)


def test_no_secret_is_in_the_message_of_a_failed_request() -> None:
    """Evaluations save it."""
    failed = RequestFailed("http://me:zzz@host/v1?api-key=zzz broke the connection")
    assert "zzz" not in str(failed) and "broke the connection" in str(failed)
