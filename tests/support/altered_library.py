"""A copy of reasoning-gym in which some tasks are not those of the release.

::

    folder = altered_library(tmp_path)
    WorkerPool(settings=WorkerSettings(import_path=str(folder)))

gcd asks for twice the greatest common divisor; kakurasu is gone; doubling and running are new. The
verifier of running executes answers.
"""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path

CHANGED, NEW, EXECUTING, GONE = "gcd", "doubling", "running", "kakurasu"

_TASK = """
from dataclasses import dataclass
from random import Random
from typing import Optional

from ..factory import ProceduralDataset, register_dataset


@dataclass
class {name}Config:
    seed: Optional[int] = None
    size: int = 500

    def validate(self) -> None:
        assert self.size > 0


class {name}Dataset(ProceduralDataset):
    def __init__(self, config):
        super().__init__(config=config, seed=config.seed, size=config.size)

    def __getitem__(self, idx):
        number = Random(self.seed + idx).randint(1, 10**6)
        question = f"What is twice {{number}}?"
        return {{"question": question, "answer": str(2 * number), "metadata": {{}}}}
{verifier}

register_dataset("{task}", {name}Dataset, {name}Config)
"""
_EXECUTES = """
    def score_answer(self, answer, entry):
        import builtins

        return float(builtins.eval(answer) == int(entry["answer"]))
"""


def altered_library(folder: Path) -> Path:
    """Write the copy into `folder`, and return the folder to import it from."""
    spec = importlib.util.find_spec("reasoning_gym")
    assert spec is not None and spec.origin is not None
    package = folder / "reasoning_gym"
    shutil.copytree(Path(spec.origin).parent, package)
    gcd = package / "arithmetic" / "gcd.py"
    _replace(gcd, "str(result)", "str(2 * result)")
    _replace(gcd, "Find the Greatest", "Find twice the Greatest")
    games = package / "games" / "__init__.py"
    lines = games.read_text().splitlines()
    games.write_text("\n".join(line for line in lines if "akurasu" not in line))
    (package / "games" / "kakurasu.py").unlink()
    for task, verifier in ((NEW, ""), (EXECUTING, _EXECUTES)):
        text = _TASK.format(task=task, name=task.title(), verifier=verifier)
        (package / "arithmetic" / f"{task}.py").write_text(text)
    with (package / "arithmetic" / "__init__.py").open("a") as file:
        file.write(f"\nfrom . import {NEW}, {EXECUTING}\n")
    return folder


def _replace(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text, f"{path} has no {old!r}"
    path.write_text(text.replace(old, new, 1))
