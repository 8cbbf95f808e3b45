"""What tells evaluations apart: the id of a problem, the whole set, and the code of the scoring."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path

from rgenv.dialogue.prompts import DIALOGUE
from rgenv.text import level_name
from rgenv.types import Problem

PACKAGE = Path(__file__).resolve().parents[1]
SOURCES = ("tasks", "worker", "dialogue/formats.py", "dialogue/reading.py")
"""What scores depend on, relative to the package; all files of a folder."""


def problem_id(problem: Problem) -> str:
    """Return the id of a problem in an evaluation: ``task/seed/level``."""
    return f"{problem.task}/{problem.seed}/{level_name(problem.level)}"


def digest(problems: Iterable[Problem]) -> str:
    """Return 16 hex digits over everything that the problems consist of, in any order."""
    lines = []
    for problem in problems:
        fields = asdict(replace(problem, dialogue=DIALOGUE)) | {"config": dict(problem.config)}
        del fields["dialogue"]  # the run has its own
        lines.append(json.dumps(fields, sort_keys=True))
    return hashlib.blake2b("\n".join(sorted(lines)).encode(), digest_size=8).hexdigest()


@cache
def scoring_version() -> str:
    """Return 16 hex digits over the source files of the scoring, which change with any of them."""
    return digest_of(PACKAGE)


def digest_of(package: Path) -> str:
    digest = hashlib.blake2b(digest_size=8)
    for source in SOURCES:
        path = package / source
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.suffix in (".py", ".json"):
                content = hashlib.blake2b(file.read_bytes()).hexdigest()
                digest.update(f"{file.relative_to(package).as_posix()} {content}\n".encode())
    return digest.hexdigest()
