"""Find the tests that run given lines, in whatever process.

A probe is a statement that sets one byte of a file that every process maps into its memory when it
imports rgenv: before a worker's sandbox closes, and without a system call afterwards.
"""

from __future__ import annotations

import ast
import json
import mmap
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tools.mutations import Mutant
from tools.trials import trial

MODULE = """
import mmap
with open({path!r}, "r+b") as _file:
    HITS = mmap.mmap(_file.fileno(), {size})
"""


@dataclass(frozen=True)
class Coverage:
    """Which tests run which lines.

    Attributes:
        passed: the tests that pass without a mutant, each with its seconds.
        tests: mutant -> the tests that run its line; only mutants that have a probe.
        fixtures: mutant -> the files of tests whose fixtures run its line.
    """

    passed: dict[str, float]
    tests: dict[str, set[str]]
    fixtures: dict[str, set[str]] = field(default_factory=dict)


def run_with_probes(mutants: Sequence[Mutant], tree: Path, tests: Sequence[str], log: Path) -> None:
    """Run `tests` once and write to `log` what each runs; `tree` has probes meanwhile."""
    shared = tree.parent / "hits"
    shared.write_bytes(bytes(max(1, len(mutants))))
    text = MODULE.format(path=str(shared), size=shared.stat().st_size)
    (tree / "rgenv" / "_hits.py").write_text(text)
    sources = _with_probes(mutants, tree)
    partial = log.with_suffix(".partial")
    found = trial(
        tree, tests, budget=1e9, more="--maxfail=999999", hangs=600, plugin=Hits(shared, partial)
    )
    if found.kind not in ("passed", "failed"):
        raise RuntimeError(f"the tests with probes: {found}")
    partial.rename(log)
    for name, source in sources.items():
        (tree / name).write_bytes(source)
    (tree / "rgenv" / "_hits.py").unlink()


def read(log: Path, mutants: Sequence[Mutant], sources: Mapping[str, bytes]) -> Coverage:
    """Return what ran with probes. A mutant that runs when its module is imported has no probe."""
    found = Coverage({}, {m.id: set() for m in mutants if statement_of(sources[m.file], m.line)})
    found.fixtures.update({name: set() for name in found.tests})
    for row in map(json.loads, log.read_text().splitlines()):
        test = row["test"]
        if not row["failed"]:
            found.passed[test] = row["seconds"]
        for number in row["hits"]:
            found.tests[mutants[number].id].add(test)
        for number in row["in fixtures"]:
            found.fixtures[mutants[number].id].add(file_of(test))
    return found


def file_of(test: str) -> str:
    return test.partition("::")[0]


def _with_probes(mutants: Sequence[Mutant], tree: Path) -> dict[str, bytes]:
    """Insert a probe before the statement of each mutant; return the files as they were."""
    places: dict[str, list[tuple[int, int]]] = defaultdict(list)  # line, number of the mutant
    for number, mutant in enumerate(mutants):
        if line := statement_of((tree / mutant.file).read_bytes(), mutant.line):
            places[mutant.file].append((line, number))
    before = {}
    for name in [*places, "rgenv/__init__.py"]:
        before[name] = (tree / name).read_bytes()
        lines = before[name].decode().splitlines(keepends=True)
        for line, number in sorted(places[name], reverse=True):
            indent = lines[line - 1][: -len(lines[line - 1].lstrip())]
            hits = "__import__('sys').modules['rgenv._hits'].HITS"
            lines.insert(line - 1, f"{indent}{hits}[{number}] = 1\n")
        if name == "rgenv/__init__.py":
            lines.append("\nimport rgenv._hits\n")
        (tree / name).write_text("".join(lines))
    return before


def statement_of(source: bytes, line: int) -> int:
    """Return the first line of the innermost statement in a function that has `line`, or 0.

    Before an `elif`, nothing can be inserted; its `if` is taken instead.
    """
    lines, found = source.splitlines(), 0
    for function in ast.walk(ast.parse(source)):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        for node in ast.walk(function):  # from the outside in
            if node is function or not isinstance(node, ast.stmt) or node.end_lineno is None:
                continue
            decorators = getattr(node, "decorator_list", [])
            first = min([node.lineno, *(one.lineno for one in decorators)])
            is_elif = lines[first - 1].lstrip().startswith(b"elif")
            if first <= line <= node.end_lineno and not is_elif:
                found = first
    return found


class Hits:
    """A plugin of pytest that notes what each test runs, how long it takes and whether it fails."""

    def __init__(self, shared: Path, log: Path) -> None:
        with shared.open("r+b") as file:
            self._hits = mmap.mmap(file.fileno(), shared.stat().st_size)
        self._log = log.open("w", buffering=1)
        self._failed, self._began = False, 0.0
        self._set_up: list[int] = []

    def pytest_runtest_logstart(self) -> None:
        self._hits[:] = bytes(len(self._hits))
        self._failed, self._began = False, time.monotonic()

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Note a failure, and what ran in fixtures, which other tests of the file may share."""
        self._failed |= report.failed
        if report.when == "setup":
            self._set_up = self._numbers()

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        row = {
            "test": nodeid,
            "failed": self._failed,
            "seconds": round(time.monotonic() - self._began, 3),
            "hits": self._numbers(),
            "in fixtures": self._set_up,
        }
        print(json.dumps(row), file=self._log)

    def _numbers(self) -> list[int]:
        return [number for number, hit in enumerate(self._hits[:]) if hit]
