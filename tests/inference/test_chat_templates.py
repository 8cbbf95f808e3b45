"""rgenv/inference/chat_templates.py: templates for models that have none."""

from pathlib import Path
from typing import Any

from rgenv.inference.chat_templates import chat_template

WRITTEN = {
    "plain": "Think.\n\nUser: 2 + 2?\n\nAssistant:",
    "chatml": "<|im_start|>system\nThink.<|im_end|>\n<|im_start|>user\n2 + 2?<|im_end|>\n"
    "<|im_start|>assistant\n",
    "llama3": "<|start_header_id|>system<|end_header_id|>\n\nThink.<|eot_id|>"
    "<|start_header_id|>user<|end_header_id|>\n\n2 + 2?<|eot_id|>"
    "<|start_header_id|>assistant<|end_header_id|>\n\n",
}


def test_templates_write_the_known_formats_or_what_a_file_says(
    tokenizer: Any, tmp_path: Path
) -> None:
    """The prompt ends where the model begins to write."""
    path = tmp_path / "mine.jinja"
    path.write_text("{% for m in messages %}{{ m['content'] }}|{% endfor %}")
    messages = [{"role": "system", "content": "Think."}, {"role": "user", "content": "2 + 2?"}]
    options = {"add_generation_prompt": True, "tokenize": False}
    for word, written in {**WRITTEN, str(path): "Think.|2 + 2?|"}.items():
        options["chat_template"] = chat_template(word)
        assert tokenizer.apply_chat_template(messages, **options) == written
