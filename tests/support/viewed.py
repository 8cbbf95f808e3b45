"""Files of a run as `view` reads them, and its page as data."""

import base64
import gzip
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.support.dumps import group_row

RUN = "5f1c2a7e-1111-4222-8333-123456789abc"
DUMP = f"reasoning_gym_environment_rollouts_{RUN}_0000.jsonl"
FAILED = f"reasoning_gym_environment_FAILED_rollouts_{RUN}_0000.jsonl"


def row(
    name: str,
    scores: Sequence[float] = (1.0, 0.0),
    *,
    task: str = "gcd",
    texts: Sequence[str] | None = None,
    question: str = "What is 6 times 7?",
    **metadata: Any,
) -> dict[str, Any]:
    """Return a saved group; its first completions are right as far as its scores are."""
    made = texts or [
        f"<think>Let me see.</think>So <answer>{42 if score else 41}</answer>" for score in scores
    ]
    asked = [{"role": "system", "content": "Solve."}, {"role": "user", "content": question}]
    recipe = {"task": task, "config": {"n": 2, "of": name}, "seed": 2**62 + 1}
    about = {"group_id": name, "run": RUN, **recipe, "level": 0.5, "recipe": recipe, "answer": "42"}
    about |= {"raw_scores": list(scores), "finish_reasons": ["stop"] * len(scores)}
    about |= {"verdicts": ["scored"] * len(scores), **metadata}
    conversations = [[*asked, {"role": "assistant", "content": text}] for text in made]
    return group_row(task, conversations, scores, metadata=about)


def trainer_group(name: str, rewards: Sequence[float] = (1.0, 0.0), **more: Any) -> dict[str, Any]:
    """Return a group as the trainer gets it, three tokens a completion."""
    return {
        "tokens": [[1, 2, 3, 4]] * len(rewards),
        "masks": [[-100, 2, 3, 4]] * len(rewards),
        "scores": list(rewards),
        "group_overrides": {"group_id": name, "task": "gcd", "level": None},
        **more,
    }


def report(step: int, time: float, run: str = RUN, **metrics: float) -> dict[str, Any]:
    """Return a line of metrics.jsonl; two underscores in a name stand for a slash."""
    named = {name.replace("__", "/"): value for name, value in metrics.items()}
    return {"run": run, "step": step, "time": time, **named}


def write_lines(path: Path, *lines: Any) -> Path:
    """Append objects as JSON lines, and bytes as they are."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        for line in lines:
            file.write(line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n")
    return path


def page_data(path: Path) -> tuple[dict[str, Any], list[list[dict[str, Any]]]]:
    """Return the index of a page and the texts in its chunks, as its script unpacks them."""
    page = path.read_text(encoding="utf-8")
    held = re.findall(r'<script type="text/plain" (id|class)="(\w+)">([^<]*)</script>', page)
    contents = [(name, gzip.decompress(base64.b64decode(text)).decode()) for _, name, text in held]
    [index] = [json.loads(text) for name, text in contents if name == "index"]
    chunks = [text.split("\n") for name, text in contents if name == "chunk"]
    return index, [[json.loads(line) for line in chunk] for chunk in chunks]
