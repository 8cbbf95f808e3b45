"""Imports respect the walls, tests mirror the code, and requirements have bounds."""

import ast
import importlib.metadata
import sys
from pathlib import Path

import pytest

from rgenv.worker import operations
from tests.support.paths import ROOT

sys.path.insert(0, str(ROOT / "scripts"))

from draw_packages import imports

SOURCES = sorted((ROOT / "rgenv").rglob("*.py"))
WORKER, ATROPOS = ROOT / "rgenv" / "worker", ROOT / "rgenv" / "atropos"


def module_name(path: Path) -> str:
    """Return the dotted name of a source file."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in SOURCES}


def top_level_imports(path: Path) -> set[str]:
    """Return the first part of every name that a file imports."""
    return {name.split(".")[0] for name in imports(path)}


def rgenv_imports(path: Path) -> set[str]:
    """Return the modules of rgenv that a file imports."""
    return {name for name in imports(path) if name in MODULES}


# The two walls


@pytest.mark.parametrize("path", SOURCES, ids=module_name)
def test_only_the_atropos_package_imports_atropos(path: Path) -> None:
    """Outside rgenv/atropos, no file of rgenv imports atroposlib, wandb, or that package."""
    assert "reasoning_gym_environment" not in top_level_imports(path)
    if ATROPOS not in path.parents:
        assert not top_level_imports(path) & {"atroposlib", "wandb", "demo", "examples"}
        assert not any(name.startswith("rgenv.atropos") for name in rgenv_imports(path))


@pytest.mark.parametrize("path", SOURCES, ids=module_name)
def test_only_the_worker_package_imports_reasoning_gym(path: Path) -> None:
    """rgenv/worker imports nothing else of rgenv, and only its protocol is imported elsewhere."""
    if WORKER in path.parents:
        assert all(n == "rgenv" or n.startswith("rgenv.worker") for n in rgenv_imports(path))
        return
    # library.py looks for the package without importing it.
    allowed = {"reasoning_gym"} if module_name(path) == "rgenv.pool.library" else set()
    assert not top_level_imports(path) & ({"reasoning_gym", "sympy"} - allowed)
    inside = {name for name in rgenv_imports(path) if name.startswith("rgenv.worker")}
    assert inside <= {"rgenv.worker", "rgenv.worker.protocol"}


@pytest.mark.parametrize("name", ["importlib.import_module", "__import__"])
def test_imports_by_name_count(tmp_path: Path, name: str) -> None:
    """A module that is imported through importlib is found like any other."""
    source = tmp_path / "module.py"
    source.write_text(f"import importlib\n{name}('wandb.sdk')\n")
    assert "wandb" in top_level_imports(source)


def package_of(module: str) -> str:
    """Return the package below rgenv that a module is in; for a file directly in rgenv, itself."""
    return module.split(".")[1] if "." in module else module


def test_packages_import_each_other_without_circles() -> None:
    """Packages can be read one after the other."""
    arrows: dict[str, set[str]] = {}
    for module, path in MODULES.items():
        package = package_of(module)
        targets = {package_of(name) for name in rgenv_imports(path)}
        arrows.setdefault(package, set()).update(targets - {package})
    while leaves := [name for name, targets in arrows.items() if not targets & arrows.keys()]:
        for name in leaves:
            del arrows[name]
    assert arrows == {}


# Order in the tree


def test_few_files_are_directly_in_rgenv() -> None:
    """There are at most a dozen; the others are in packages."""
    assert len(list((ROOT / "rgenv").glob("*.py"))) <= 12


TESTED_ELSEWHERE = {
    "rgenv.worker.__main__",
    "rgenv.types",
    "rgenv.errors",
    "rgenv.text",
    "rgenv.worker.entry",
    "rgenv.validation.wrong_values.kind",
}
"""A program's start, and values that every test uses."""


def test_every_module_has_a_test_file() -> None:
    """rgenv/a/b.py is tested by tests/a/test_b.py; verifiers are tested together."""
    missing = []
    for name, path in MODULES.items():
        test = path.relative_to(ROOT / "rgenv").with_name(f"test_{path.stem}.py")
        is_exempt = path.stem == "__init__" or name in TESTED_ELSEWHERE or "verifiers" in name
        if not is_exempt and not (ROOT / "tests" / test).exists():
            missing.append(name)
    assert missing == []


def test_every_test_has_a_docstring() -> None:
    """Each test says in a sentence what it shows."""
    for path in (ROOT / "tests").rglob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                is_test = node.name.startswith("test_")
                assert not is_test or ast.get_docstring(node), f"{path.name}: {node.name}"


def test_docstrings_of_packages_list_their_content() -> None:
    """The docstring of each __init__.py names every file and folder beside it."""
    for package in (path for path in SOURCES if path.name == "__init__.py"):
        docstring = ast.get_docstring(ast.parse(package.read_text(encoding="utf-8"))) or ""
        words = {word.strip(",:;.`") for word in docstring.split()}
        inside = [path for path in package.parent.iterdir() if path.name[0] not in "_."]
        named = {f"{path.name}/" if path.is_dir() else path.name for path in inside}
        assert named - words == set(), package


# Dependencies


def test_every_requirement_has_an_upper_bound_and_a_reason() -> None:
    """Each line of the requirements files has a `<` and a comment."""
    for name in (
        "requirements.txt",
        "requirements-dev.txt",
        "requirements-learn.txt",
        "requirements-browser.txt",
    ):
        for line in (ROOT / name).read_text(encoding="utf-8").splitlines():
            if line and not line.startswith(("#", "-r")):
                assert "<" in line and "  # " in line, line


def test_the_code_knows_the_installed_release() -> None:
    """The data set cache and the fast generators work only with the release they were made for."""
    assert importlib.metadata.version("reasoning-gym") == operations.RELEASE


def test_the_submodule_is_recorded() -> None:
    """.gitmodules has the address of reasoning-gym."""
    assert "open-thought/reasoning-gym" in (ROOT / ".gitmodules").read_text(encoding="utf-8")
