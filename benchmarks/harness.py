"""Helpers of the benchmarks: command lines, output, and programs of their own."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any

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
