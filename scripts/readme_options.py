"""Writes the table of options into README.md, from the configuration class itself.

    python scripts/readme_options.py

A test fails when README.md and the class disagree.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from atroposlib.envs.base import BaseEnvConfig  # noqa: E402

from reasoning_gym_environment import ReasoningGymEnvConfig  # noqa: E402

README = ROOT / "README.md"
BEGIN, END = "<!-- options: scripts/readme_options.py writes this table -->", "<!-- /options -->"


def shown(value: Any) -> str:
    """A default as one would write it in YAML."""
    if value is None or value in ([], {}):
        return "none"
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def table() -> str:
    """A Markdown table of the options that are ours, in the order of the class."""
    lines = ["| option | default | what it does |", "| --- | --- | --- |"]
    for name, field in ReasoningGymEnvConfig.model_fields.items():
        if name not in BaseEnvConfig.model_fields:
            default = shown(field.get_default(call_default_factory=True))
            lines.append(f"| `{name}` | {default} | {field.description} |")
    return "\n".join(lines)


def with_table(text: str) -> str:
    """README's text with the present table between its two marks."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table()}\n{END}{after}"


if __name__ == "__main__":
    README.write_text(with_table(README.read_text(encoding="utf-8")), encoding="utf-8")
