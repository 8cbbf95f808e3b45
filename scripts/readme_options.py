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
    if isinstance(value, tuple | list):
        return ", ".join(map(shown, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


SECTIONS = {
    "task_names": "Tasks",
    "complexity_mode": "Difficulty",
    "temperature": "Sampling and rewards",
    "dump_rollouts": "Saved rollouts",
    "num_eval_samples_per_task": "Evaluation",
    "strict_verifiers": "Scoring",
    "startup_timeout": "Running",
}
"""First option of a section -> its title; the class has them in this order."""


def table() -> str:
    """A Markdown table of the options that are ours, a row for each section."""
    rows: dict[str, list[str]] = {}
    for name, field in ReasoningGymEnvConfig.model_fields.items():
        if name not in BaseEnvConfig.model_fields:
            title = SECTIONS.get(name) or list(rows)[-1]
            default = shown(field.get_default(call_default_factory=True))
            rows.setdefault(title, []).append(f"`{name}` ({default}): {field.description}")
    lines = ["| about | option (default): what it does |", "| --- | --- |"]
    return "\n".join(
        lines + [f"| {title} | {'<br>'.join(options)} |" for title, options in rows.items()]
    )


def with_table(text: str) -> str:
    """README's text with the present table between its two marks."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table()}\n{END}{after}"


if __name__ == "__main__":
    README.write_text(with_table(README.read_text(encoding="utf-8")), encoding="utf-8")
