"""The evaluation set on disk, by its definition; a damaged file counts as missing."""

import hashlib
import json
import logging
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from typing import Any

from rgenv.dialogue.prompts import DIALOGUE
from rgenv.runtime.files import parse_json, read_file, write_atomic
from rgenv.text import describe, level_name
from rgenv.types import Problem

log = logging.getLogger(__name__)


def cache_folder() -> Path:
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "reasoning_gym_environment"


def problem_id(problem: Problem) -> str:
    """Return the id of a problem in an evaluation: ``task/seed/level``."""
    return f"{problem.task}/{problem.seed}/{level_name(problem.level)}"


def digest(problems: Iterable[Problem]) -> str:
    """Return 16 hex digits over everything that the problems consist of, in any order."""
    lines = sorted(json.dumps(_fields(problem), sort_keys=True) for problem in problems)
    return hashlib.blake2b("\n".join(lines).encode(), digest_size=8).hexdigest()


class ItemCache:
    """Problems for evaluation, one file for each key; the folder is created at need."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def key(self, task: str, **definition: Any) -> str:
        """Return the key of the problems that `definition` leads to; its values are JSON-able."""
        text = json.dumps([task, definition], sort_keys=True)
        return f"{task}-{hashlib.blake2b(text.encode(), digest_size=8).hexdigest()}"

    def load(self, key: str) -> list[Problem] | None:
        """Return the problems stored under `key`; None if there are none, or they are damaged."""
        path = self._folder / f"{key}.json"
        try:
            return [Problem(**fields) for fields in parse_json(read_file(path))]
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError) as error:
            why = describe(error)
            log.warning("%s can't be read (%s); its problems are made again.", path, why)
            return None

    def store(self, key: str, problems: Sequence[Problem]) -> None:
        """Save problems under `key`; if the disk refuses, the next run makes them again."""
        content = json.dumps([_fields(problem) for problem in problems])
        try:
            write_atomic(self._folder / f"{key}.json", content.encode())
        except OSError as error:
            log.info("Evaluation problems can't be saved in %s (%s).", self._folder, error)


def _fields(problem: Problem) -> dict[str, Any]:
    fields = asdict(replace(problem, dialogue=DIALOGUE)) | {"config": dict(problem.config)}
    del fields["dialogue"]  # it is that of the run
    return fields


# Which code turns a completion into a score


PACKAGE = Path(__file__).resolve().parents[1]
SOURCES = (
    "tasks",
    "worker",
    *(f"dialogue/{name}.py" for name in ("formats", "pattern", "reading")),
)
"""What scores depend on, relative to the package; all files of a folder."""


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
