"""Chat templates that do what those of three families do."""

CONTENT = "(m.content.split('</think>')[-1] if m.role == 'assistant' else m.content)"

QWEN3 = (
    "{% for m in messages %}"
    f"{{{{ '<|im_start|>' + m.role + '\\n' + {CONTENT} + '<|im_end|>\\n' }}}}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}"
    "{% if enable_thinking is false %}{{ '<think>\\n\\n</think>\\n\\n' }}{% endif %}{% endif %}"
)
"""Thinks by itself, unless `enable_thinking` is false."""

DEEPSEEK_R1 = (
    "{% for m in messages %}{{ {'user': '<｜User｜>', 'assistant': '<｜Assistant｜>'}"
    f".get(m.role, '') + {CONTENT} }}}}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<｜Assistant｜><think>\\n' }}{% endif %}"
)
"""Opens the thinking."""

GEMMA = (
    "{% if messages[0].role == 'system' %}{{ raise_exception('System role not supported') }}"
    "{% endif %}{% for m in messages %}{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('Conversation roles must alternate user/assistant/...') }}{% endif %}"
    "{{ '<start_of_turn>' + m.role + '\\n' + m.content | trim + '<end_of_turn>\\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<start_of_turn>model\\n' }}{% endif %}"
)
"""Has no system message."""
