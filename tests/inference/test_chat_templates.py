"""rgenv/inference/chat_templates.py: templates for models that have none."""

from pathlib import Path
from typing import Any

import pytest

from rgenv.errors import BadUsage
from rgenv.inference.chat_templates import CHAT_TEMPLATES, chat_template

CONVERSATION = [
    {"role": "system", "content": "Think."},
    {"role": "user", "content": "2 + 2?"},
]
ANSWERED = [*CONVERSATION, {"role": "assistant", "content": "4"}]


def rendered(tokenizer: Any, word: str, messages: list[dict[str, str]], prompt: bool) -> str:
    """Render a conversation as transformers does."""
    return str(
        tokenizer.apply_chat_template(
            messages,
            chat_template=chat_template(word),
            add_generation_prompt=prompt,
            tokenize=False,
        )
    )


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("plain", "Think.\n\nUser: 2 + 2?\n\nAssistant:"),
        (
            "chatml",
            "<|im_start|>system\nThink.<|im_end|>\n<|im_start|>user\n2 + 2?<|im_end|>\n"
            "<|im_start|>assistant\n",
        ),
        (
            "llama3",
            "<|start_header_id|>system<|end_header_id|>\n\nThink.<|eot_id|>"
            "<|start_header_id|>user<|end_header_id|>\n\n2 + 2?<|eot_id|>"
            "<|start_header_id|>assistant<|end_header_id|>\n\n",
        ),
    ],
)
def test_the_named_templates_write_the_known_formats(
    tokenizer: Any, name: str, expected: str
) -> None:
    """The prompt ends where the model begins to write."""
    assert rendered(tokenizer, name, CONVERSATION, prompt=True) == expected


@pytest.mark.parametrize("name", CHAT_TEMPLATES)
def test_a_whole_conversation_begins_with_its_prompt(tokenizer: Any, name: str) -> None:
    """What the model was asked is the beginning of the conversation with its answer."""
    prompt = rendered(tokenizer, name, CONVERSATION, prompt=True)
    whole = rendered(tokenizer, name, ANSWERED, prompt=False)
    assert whole.startswith(prompt) and "4" in whole.removeprefix(prompt)


def test_a_file_may_hold_the_template(tokenizer: Any, tmp_path: Path) -> None:
    """Any path of a Jinja file is taken."""
    path = tmp_path / "mine.jinja"
    path.write_text("{% for m in messages %}{{ m['content'] }}|{% endfor %}")
    assert rendered(tokenizer, str(path), CONVERSATION, prompt=True) == "Think.|2 + 2?|"


def test_an_unknown_name_is_bad_usage() -> None:
    """The message lists the choices and the nearest one."""
    with pytest.raises(BadUsage, match=r"'chatlm'.*plain, chatml, llama3 or .*mean chatml\?"):
        chat_template("chatlm")


def test_a_file_that_cannot_be_used_is_bad_usage(tmp_path: Path) -> None:
    """A folder, an empty file and bytes that are no text are named."""
    (tmp_path / "empty").write_text(" \n")
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\xff")
    for name, reason in (("", "can't be read"), ("empty", "is empty"), ("bytes", "can't be read")):
        with pytest.raises(BadUsage, match=reason):
            chat_template(str(tmp_path / name))
