"""Chat templates for models that have none, such as base models.

The templates write no token that begins a text: tokenizers that use one add it themselves.
"""

from pathlib import Path

from rgenv.errors import BadUsage
from rgenv.text import did_you_mean, nearest, refusal

CHAT_TEMPLATES = {
    "plain": (
        "{% for m in messages %}"
        "{{ {'user': 'User: ', 'assistant': 'Assistant: '}.get(m['role'], '') }}"
        "{{ m['content'] + '\n\n' }}"
        "{% endfor %}"
        "{% if add_generation_prompt %}{{ 'Assistant:' }}{% endif %}"
    ),
    "chatml": (
        "{% for m in messages %}"
        "{{ '<|im_start|>' + m['role'] + '\n' + m['content'] + '<|im_end|>\n' }}"
        "{% endfor %}"
        "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
    ),
    "llama3": (
        "{% for m in messages %}"
        "{{ '<|start_header_id|>' + m['role'] + '<|end_header_id|>\n\n' }}"
        "{{ m['content'] + '<|eot_id|>' }}"
        "{% endfor %}"
        "{% if add_generation_prompt %}"
        "{{ '<|start_header_id|>assistant<|end_header_id|>\n\n' }}"
        "{% endif %}"
    ),
}
"""Name -> Jinja template. `plain` needs no special tokens, so it suits any base model."""

CHOICES = f"{', '.join(CHAT_TEMPLATES)} or the path of a Jinja file"


def chat_template(word: str) -> str:
    """Return the template of a name, or the content of that file, or raise BadUsage."""
    if word in CHAT_TEMPLATES:
        return CHAT_TEMPLATES[word]
    if not word.strip():
        raise BadUsage(f"the chat template is empty: write {CHOICES}.")
    path = Path(word).expanduser()
    if not path.exists():
        hint = did_you_mean(nearest(word, CHAT_TEMPLATES))
        raise BadUsage(f"there is no chat template {word!r}: write {CHOICES}.{hint}")
    try:
        return path.read_text(errors="replace")
    except OSError as error:
        raise BadUsage(f"the chat template {word} can't be read: {refusal(error)}") from None
