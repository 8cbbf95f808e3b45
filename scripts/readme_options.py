"""Write the table of options into README.md, from the configuration class.

    python scripts/readme_options.py

A test fails if README.md and the class disagree.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from atroposlib.envs.base import BaseEnvConfig

from reasoning_gym_environment import ReasoningGymEnvConfig

README = Path(__file__).resolve().parents[1] / "README.md"
BEGIN, END = "<!-- options: scripts/readme_options.py writes this table -->", "<!-- /options -->"

SECTIONS = {
    "task_names": "Tasks",
    "complexity_mode": "Difficulty",
    "temperature": "Sampling and rewards",
    "dump_rollouts": "Saved rollouts",
    "num_eval_samples_per_task": "Evaluation",
    "strict_verifiers": "Scoring",
    "startup_timeout": "Running",
}
"""First option of each section -> its title, in the order of the class."""


def with_table(text: str) -> str:
    """Return the README's text with the present table between its two marks."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table()}\n{END}{after}"


def table() -> str:
    """Return a Markdown table of our options, not Atropos', with a row for each section."""
    rows: dict[str, list[str]] = {}
    title = ""
    for name, field in ReasoningGymEnvConfig.model_fields.items():
        if name not in BaseEnvConfig.model_fields:
            title = SECTIONS.get(name, title)
            default = shown(field.get_default(call_default_factory=True))
            rows.setdefault(title, []).append(f"`{name}` ({default}): {field.description}")
    lines = [f"| {title} | {'<br>'.join(options)} |" for title, options in rows.items()]
    return "\n".join(["| about | option (default): what it does |", "| --- | --- |", *lines])


def shown(value: Any) -> str:
    """Return a default value as in YAML."""
    if value is None or value in ([], {}):
        return "none"
    if isinstance(value, tuple | list):
        return ", ".join(map(shown, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


if __name__ == "__main__":
    README.write_text(with_table(README.read_text(encoding="utf-8")), encoding="utf-8")
