"""Helpers of the benchmarks: command lines, output and processes."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
Json = dict[str, Any]


def parser(doc: str | None) -> argparse.ArgumentParser:
    """Return a parser whose description is the first line of a module's docstring."""
    return argparse.ArgumentParser(description=(doc or "").partition("\n")[0])


def print_json(result: Json) -> None:
    print(json.dumps(result, indent=2))


def run_python(words: Sequence[str], environment: Mapping[str, str]) -> Json:
    """Run a Python program to its end and return the JSON object on its last line.

    Raises:
        RuntimeError: the program failed; the message has the end of its stderr.
    """
    done = subprocess.run(
        [sys.executable, *words], env=os.environ | environment, capture_output=True, text=True
    )
    if done.returncode:
        raise RuntimeError(f"{words[:2]} failed:\n{done.stderr[-3000:]}")
    result: Json = json.loads(done.stdout.splitlines()[-1])
    return result


def descendants(pid: int) -> list[int]:
    """Return the ids of the processes that a process and its children have started."""
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    children: list[int] = []
    with contextlib.suppress(OSError):  # it has ended
        children = [int(child) for task in tasks for child in task.read_text().split()]
    return [found for child in children for found in (child, *descendants(child))]
