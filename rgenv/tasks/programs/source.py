"""Find the program of a codeio question, and the generator of its inputs in the library's data."""

import gzip
import hashlib
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from reasoning_gym.data import get_data_file_path

_BEFORE_CODE = "but not copy spans of code directly.\n\n"
_UNREPRODUCIBLE = Path(__file__).with_name("unreproducible.json")


def asks_for_input(question: str) -> bool:
    """Return whether `question` shows an output and asks for an input."""
    return "\n\nCan you predict a feasible input without writing any code?" in question


def code_of(question: str) -> str | None:
    """Return the program that `question` ends with; None if it holds none."""
    _, found, code = question.partition(_BEFORE_CODE)
    return code.removesuffix("\n") if found else None


def generator_of(code: str) -> str | None:
    """Return the source of a program's generator; None if it is not known."""
    return _generators().get(digest(code))


def is_unreproducible(code: str) -> bool:
    """Return whether the output of a program depends on more than its input."""
    return digest(code) in _unreproducible()


def digest(code: str) -> str:
    """Return the name of a program in `unreproducible.json`."""
    return hashlib.sha256(code.encode()).hexdigest()[:16]


@cache
def programs() -> list[dict[str, Any]]:
    """Return the library's programs with their generators. The first call takes 0.1 s."""
    packed = Path(get_data_file_path("codeio.jsonl.gz")).read_bytes()
    rows = gzip.decompress(packed).decode().strip().replace("\n", ",")
    found: list[dict[str, Any]] = json.loads(f"[{rows}]")
    return found


@cache
def _generators() -> Mapping[str, str]:
    return {digest(row["code_sample"]): row["input_generator"] for row in programs()}


@cache
def _unreproducible() -> frozenset[str]:
    return frozenset(json.loads(_UNREPRODUCIBLE.read_text(encoding="utf-8"))["programs"])
