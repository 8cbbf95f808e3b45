"""rgenv/inference/chat_templates.py: templates for models that have none."""

from pathlib import Path
from typing import Any

import pytest

from rgenv.inference.chat_templates import chat_template


def rendered(tokenizer: Any, word: str) -> str:
    messages = [{"role": "system", "content": "Think."}, {"role": "user", "content": "2 + 2?"}]
    template = chat_template(word)
    return str(
        tokenizer.apply_chat_template(
            messages, chat_template=template, add_generation_prompt=True, tokenize=False
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
    assert rendered(tokenizer, name) == expected


def test_a_file_may_hold_the_template(tokenizer: Any, tmp_path: Path) -> None:
    path = tmp_path / "mine.jinja"
    path.write_text("{% for m in messages %}{{ m['content'] }}|{% endfor %}")
    assert rendered(tokenizer, str(path)) == "Think.|2 + 2?|"
