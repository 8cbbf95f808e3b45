"""Imports respect the walls, tests mirror the code, and requirements have bounds."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

from rgenv.task_names import KNOWN_TASKS
from tests.support.paths import ROOT

sys.path.insert(0, str(ROOT / "scripts"))

from draw_packages import imports
from install_trainer import TRAINERS

SOURCES = sorted((ROOT / "rgenv").rglob("*.py"))
WORKER, TASKS = ROOT / "rgenv" / "worker", ROOT / "rgenv" / "tasks"
ATROPOS = ROOT / "rgenv" / "atropos"
INFERENCE = ROOT / "rgenv" / "inference"
ADAPTERS = ROOT / "rgenv" / "adapters"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


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
def test_only_what_runs_in_a_worker_imports_reasoning_gym(path: Path) -> None:
    """Of what runs in a worker, other packages import only the protocol."""
    shared = ("rgenv.tasks", "rgenv.task_names", "rgenv.measured")
    if TASKS in path.parents or WORKER in path.parents:
        own = (*shared, "rgenv.worker") if WORKER in path.parents else shared
        assert all(n == "rgenv" or n.startswith(own) for n in rgenv_imports(path))
        return
    # library.py looks for the package without importing it.
    allowed = {"reasoning_gym"} if module_name(path) == "rgenv.pool.library" else set()
    assert not top_level_imports(path) & ({"reasoning_gym", "sympy"} - allowed)
    inside = {name for name in rgenv_imports(path) if name.startswith("rgenv.worker")}
    assert inside <= {"rgenv.worker", "rgenv.worker.protocol"}
    assert not {name for name in rgenv_imports(path) if name.startswith("rgenv.tasks")}


FRAMEWORKS = {
    "trl": {"accelerate", "datasets", "transformers", "trl"},
    "verifiers": {"verifiers"},
    "inspect_ai": {"inspect_ai"},
}
"""Adapter -> what its framework installs and it imports."""


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_an_adapter_is_short_and_imports_its_framework_only(name: str) -> None:
    """It has at most 100 lines, as many as docs/trainers.md says, and no other file imports it."""
    path = ADAPTERS / f"{name}.py"
    lines = len(path.read_text(encoding="utf-8").splitlines())
    table = (ROOT / "docs" / "trainers.md").read_text(encoding="utf-8")
    assert lines <= 100 and f"/rgenv/adapters/{name}.py) | {lines} |" in table
    foreign = top_level_imports(path) - set(sys.stdlib_module_names) - {"rgenv"}
    assert foreign <= FRAMEWORKS[name]
    assert not [m for m in MODULES if f"rgenv.adapters.{name}" in rgenv_imports(MODULES[m])]


def test_every_framework_has_an_extra_with_an_upper_bound() -> None:
    """The tests install a version that the extra allows."""
    for extra in ("trl", "verifiers", "inspect"):
        [line] = PROJECT["optional-dependencies"][extra]
        name, bounds = re.split(r"(?=>=)", line)
        assert ",<" in bounds
        [pinned] = [one for one in TRAINERS[extra][1] if one.startswith(f"{name}==")]
        assert SpecifierSet(bounds).contains(pinned.partition("==")[2])


@pytest.mark.parametrize("name", ["importlib.import_module", "__import__"])
def test_imports_by_name_count(tmp_path: Path, name: str) -> None:
    """A module that is imported through importlib is found like any other."""
    source = tmp_path / "module.py"
    source.write_text(f"import importlib\n{name}('wandb.sdk')\n")
    assert "wandb" in top_level_imports(source)


def package_of(module: str) -> str:
    """Return the package below rgenv that a module is in; for a file directly in rgenv, itself."""
    return module.split(".")[1] if "." in module else module


WRITERS = {"write_text", "write_bytes", "savefig", "mkstemp", "NamedTemporaryFile", "touch"}


def opens_for_writing(call: ast.Call) -> bool:
    """Return whether a call creates or changes a file that it finds by its path."""
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    if name in WRITERS:
        return not (name == "savefig" and getattr(call.args[0], "id", "") == "picture")
    if name != "open":
        return False
    texts = [n.value for n in [*call.args, *(k.value for k in call.keywords)] if is_text(n)]
    flags = {getattr(node, "attr", "") for node in ast.walk(call)}
    return any(re.fullmatch("[rbt]*[wax+][rwaxbt+]*", text) for text in texts) or bool(
        flags & {"O_WRONLY", "O_RDWR", "O_CREAT", "O_APPEND"}
    )


def is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def test_files_are_written_by_the_storage_package_alone() -> None:
    """It follows no links and keeps files private and whole; the null device is no file."""
    found = {
        module
        for module, path in MODULES.items()
        if not module.startswith(("rgenv.storage", "rgenv.worker", "rgenv.tasks"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and opens_for_writing(node)
    }
    assert found <= {"rgenv.cli.entry"}


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
    "rgenv.worker.scoring",
    "rgenv.worker.__main__",
    "rgenv.types",
    "rgenv.errors",
    "rgenv.text",
    "rgenv.tasks.entry",
}
"""A program's start, and values that every test uses."""


def test_every_module_has_a_test_file() -> None:
    """rgenv/a/b.py is tested by tests/a/test_b.py; what is known of tasks is tested together."""
    missing = []
    for name, path in MODULES.items():
        test = path.relative_to(ROOT / "rgenv").with_name(f"test_{path.stem}.py")
        is_exempt = path.stem == "__init__" or name in TESTED_ELSEWHERE or TASKS in path.parents
        is_exempt |= "._" in name  # moves into the files of the tasks
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
        if package.parent.parent == TASKS and package.parent.name in KNOWN_TASKS.values():
            continue  # a category: each file is a task
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


def names(requirements: Iterable[str]) -> set[str]:
    """Return requirements without blanks and quotes, to compare them."""
    return {line.replace(" ", "").replace('"', "'") for line in requirements}


def test_requirements_txt_has_the_core_and_what_atropos_needs() -> None:
    """pyproject.toml and requirements.txt have the same names and bounds."""
    text = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    lines = [line.partition("  # ")[0] for line in text.splitlines() if line[0] != "#"]
    extras = PROJECT["optional-dependencies"]
    atropos = [line for line in extras["atropos"] if not line.startswith(PROJECT["name"])]
    assert names(lines) == names([*PROJECT["dependencies"], *extras["report"], *atropos])


EXTRAS = ("report", "atropos")

MODULE_OF = {
    "reasoning-gym": "reasoning_gym",
    "Jinja2": "jinja2",
    "MarkupSafe": "markupsafe",
    "scikit-learn": "sklearn",
}
"""Distribution -> its module, where the names differ."""


def modules_of(requirements: Iterable[str]) -> set[str]:
    """Return the modules that requirements install, as far as the project imports them."""
    found = (re.split(r"[<>=;\[ ]", line)[0] for line in requirements)
    return {MODULE_OF.get(name, name) for name in found}


NEEDS_REPORT = {
    *("rgenv.evaluation.html_report", "rgenv.evaluation.html_text", "rgenv.evaluation.plots"),
    *("rgenv.evaluation.binomial", "rgenv.evaluation.paired_test", "rgenv.evaluation.power"),
    "rgenv.profiling.report",
    *("rgenv.validation.features", "rgenv.validation.programs"),
}
"""Modules whose functions need the extra `report`."""

NEEDS_ATROPOS = {"rgenv.cli.config_file", "rgenv.cli.messages"}
"""Modules that are imported by commands of Atropos only."""

NEEDS_PARQUET = "rgenv.export.parquet"
"""The module that needs the extra `parquet`."""


@pytest.mark.parametrize("path", SOURCES, ids=module_name)
def test_the_core_needs_its_own_dependencies_only(path: Path) -> None:
    """Outside of what Atropos needs, and of rgenv/adapters, only reports import from extras."""
    if path.parent in (ATROPOS, INFERENCE, ADAPTERS) or module_name(path) in NEEDS_ATROPOS:
        return
    needed = top_level_imports(path) - set(sys.stdlib_module_names) - {"rgenv", "?"}
    report, atropos = (modules_of(PROJECT["optional-dependencies"][name]) for name in EXTRAS)
    if TASKS in path.parents or WORKER in path.parents:  # what reasoning-gym needs is there, too
        assert not needed & (report | atropos)
        return
    allowed = modules_of(PROJECT["dependencies"])
    if module_name(path) == NEEDS_PARQUET:
        allowed |= modules_of(PROJECT["optional-dependencies"]["parquet"])
    assert needed <= (allowed | report if module_name(path) in NEEDS_REPORT else allowed)


def test_the_submodule_is_recorded() -> None:
    """.gitmodules has the address of reasoning-gym."""
    assert "open-thought/reasoning-gym" in (ROOT / ".gitmodules").read_text(encoding="utf-8")
