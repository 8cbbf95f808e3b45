"""Imports respect the walls, and requirements have bounds."""

import re
import sys
import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from scripts import draw_packages
from tests.support.paths import ROOT

imports = cache(draw_packages.imports)
SOURCES = sorted((ROOT / "rgenv").rglob("*.py"))
WORKER, TASKS = ROOT / "rgenv" / "worker", ROOT / "rgenv" / "tasks"
ATROPOS = ROOT / "rgenv" / "atropos"
INFERENCE = ROOT / "rgenv" / "inference"
ADAPTERS = ROOT / "rgenv" / "adapters"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in SOURCES}


def top_level_imports(path: Path) -> set[str]:
    return {name.split(".")[0] for name in imports(path)}


def rgenv_imports(path: Path) -> set[str]:
    return {name for name in imports(path) if name in MODULES}


def test_only_the_atropos_package_imports_atropos() -> None:
    """Outside rgenv/atropos, no file of rgenv imports atroposlib, wandb, or that package."""
    for module, path in MODULES.items():
        names = top_level_imports(path)
        assert "reasoning_gym_environment" not in names, module
        if ATROPOS not in path.parents:
            assert not names & {"atroposlib", "wandb", "demo", "examples"}, module
            assert not any(name.startswith("rgenv.atropos") for name in rgenv_imports(path)), module


def test_only_what_runs_in_a_worker_imports_reasoning_gym() -> None:
    """Of what runs in a worker, other packages import only the protocol."""
    shared = ("rgenv.tasks", "rgenv.task_names", "rgenv.measured")
    for module, path in MODULES.items():
        ours = rgenv_imports(path)
        if TASKS in path.parents or WORKER in path.parents:
            own = (*shared, "rgenv.worker") if WORKER in path.parents else shared
            assert all(name == "rgenv" or name.startswith(own) for name in ours), module
            continue
        # library.py looks for the package without importing it.
        allowed = {"reasoning_gym"} if module == "rgenv.pool.library" else set()
        assert not top_level_imports(path) & ({"reasoning_gym", "sympy"} - allowed), module
        inside = {name for name in ours if name.startswith("rgenv.worker")}
        assert inside <= {"rgenv.worker", "rgenv.worker.protocol"}, module
        assert not {name for name in ours if name.startswith("rgenv.tasks")}, module


def package_of(module: str) -> str:
    """Return the package below rgenv that a module is in; for a file directly in rgenv, itself."""
    return module.split(".")[1] if "." in module else module


def test_packages_import_each_other_without_circles() -> None:
    arrows: dict[str, set[str]] = {}
    for module, path in MODULES.items():
        package = package_of(module)
        targets = {package_of(name) for name in rgenv_imports(path)}
        arrows.setdefault(package, set()).update(targets - {package})
    while leaves := [name for name, targets in arrows.items() if not targets & arrows.keys()]:
        for name in leaves:
            del arrows[name]
    assert arrows == {}


def names(requirements: Iterable[str]) -> set[str]:
    """Return requirements without blanks and quotes, to compare them."""
    return {line.replace(" ", "").replace('"', "'") for line in requirements}


def test_requirements_txt_has_the_core_and_what_atropos_needs() -> None:
    text = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    lines = [line.partition("  # ")[0] for line in text.splitlines() if line[0] != "#"]
    extras = PROJECT["optional-dependencies"]
    atropos = [line for line in extras["atropos"] if not line.startswith(PROJECT["name"])]
    assert names(lines) == names([*PROJECT["dependencies"], *extras["report"], *atropos])


def modules_of(requirements: Iterable[str]) -> set[str]:
    """Return the modules that requirements install, as far as the project imports them."""
    return {re.split(r"[<>=;\[ ]", line)[0].replace("-", "_") for line in requirements}


NEEDS_REPORT = {"rgenv.evaluation.estimates"}
"""Modules whose functions need the extra `report`."""

NEEDS_ATROPOS = {"rgenv.cli.config_file", "rgenv.evaluation.profile"}
"""Modules that are imported by commands of Atropos only."""

NEEDS_PARQUET = {"rgenv.export.sink", "rgenv.validation.row_check"}
"""Modules that need the extra `parquet`."""


def test_the_core_needs_its_own_dependencies_only() -> None:
    """Outside of what Atropos needs, and of rgenv/adapters, only reports import from extras."""
    extras = PROJECT["optional-dependencies"]
    report, atropos, parquet = (modules_of(extras[n]) for n in ("report", "atropos", "parquet"))
    for module, path in MODULES.items():
        if path.parent in (ATROPOS, INFERENCE, ADAPTERS) or module in NEEDS_ATROPOS:
            continue
        needed = top_level_imports(path) - set(sys.stdlib_module_names) - {"rgenv", "?"}
        if TASKS in path.parents or WORKER in path.parents:  # with what reasoning-gym needs
            assert not needed & (report | atropos), module
            continue
        allowed = modules_of(PROJECT["dependencies"])
        allowed |= parquet if module in NEEDS_PARQUET else set()
        assert needed <= (allowed | report if module in NEEDS_REPORT else allowed), module
