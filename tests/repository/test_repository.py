"""The project itself: arrows point down, and documents agree with the code."""

import ast
import importlib.metadata
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT

sys.path.insert(0, str(ROOT / "scripts"))

import readme_options

from rgenv.worker import operations

README = (ROOT / "README.md").read_text(encoding="utf-8")
SOURCES = sorted((ROOT / "rgenv").rglob("*.py"))
CLASS = ROOT / "reasoning_gym_environment.py"
WORKER, ATROPOS = ROOT / "rgenv" / "worker", ROOT / "rgenv" / "atropos"


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in SOURCES}


def imports(path: Path) -> set[str]:
    """Dotted names of everything that a file imports, by statement or through importlib."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path}: imports are absolute"
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Call) and imported_by_call(node):
            names.add(imported_by_call(node))
    return names


def imported_by_call(node: ast.Call) -> str:
    """The module of ``importlib.import_module("x")`` or ``__import__("x")``; else empty."""
    called = getattr(node.func, "attr", None) or getattr(node.func, "id", None)
    if called not in ("import_module", "__import__", "run_module", "find_spec"):
        return ""
    [*first] = node.args[:1]
    return str(first[0].value) if first and isinstance(first[0], ast.Constant) else "?"


def tops(path: Path) -> set[str]:
    return {name.split(".")[0] for name in imports(path)}


def ours(path: Path) -> set[str]:
    """The modules of rgenv that a file imports."""
    return {name for name in imports(path) if name in MODULES}


@pytest.mark.parametrize("path", SOURCES, ids=module_name)
def test_atropos_is_behind_its_wall(path: Path) -> None:
    """Only rgenv/atropos and the environment's file import atroposlib or wandb."""
    assert "reasoning_gym_environment" not in tops(path)
    if ATROPOS not in path.parents:
        assert not tops(path) & {"atroposlib", "wandb", "demo", "examples"}
        assert not any(name.startswith("rgenv.atropos") for name in ours(path))


@pytest.mark.parametrize("path", SOURCES, ids=module_name)
def test_reasoning_gym_is_behind_its_wall(path: Path) -> None:
    """Only rgenv/worker imports reasoning_gym or sympy; from outside, only its protocol is seen."""
    if WORKER in path.parents:
        assert all(name.startswith("rgenv.worker") or name == "rgenv" for name in ours(path))
    else:
        assert not tops(path) & ({"reasoning_gym", "sympy"} - allowed_by_name(path))
        inside = {name for name in ours(path) if name.startswith("rgenv.worker")}
        assert inside <= {"rgenv.worker", "rgenv.worker.protocol"}


def allowed_by_name(path: Path) -> set[str]:
    """pool/library.py looks for the package without importing it."""
    return {"reasoning_gym"} if module_name(path) == "rgenv.pool.library" else set()


@pytest.mark.parametrize("name", ["importlib.import_module", "__import__"])
def test_the_walls_see_imports_by_name(tmp_path: Path, name: str) -> None:
    """A module imported through importlib counts as imported."""
    source = tmp_path / "sly.py"
    source.write_text(f"import importlib\n{name}('wandb.sdk')\n")
    assert "wandb" in tops(source)


def folder_of(module: str) -> str:
    """The package below rgenv that a module lies in; a file directly in rgenv is its own."""
    return module.split(".")[1] if "." in module else module


def test_arrows_between_packages_point_down() -> None:
    """There is no circle of packages, so one can be read after the other."""
    arrows: dict[str, set[str]] = {}
    for module, path in MODULES.items():
        here = folder_of(module)
        arrows.setdefault(here, set()).update({folder_of(m) for m in ours(path)} - {here})
    while leaves := [name for name, targets in arrows.items() if not targets & arrows.keys()]:
        for name in leaves:
            del arrows[name]
    assert arrows == {}


def test_few_files_lie_directly_in_rgenv() -> None:
    """At most a dozen; the rest is in its packages."""
    assert len(list((ROOT / "rgenv").glob("*.py"))) <= 12


NOT_BY_THEMSELVES = {"rgenv.worker.__main__", "rgenv.types", "rgenv.errors", "rgenv.text"}
"""A start, and values that every test uses."""


def test_every_module_has_its_tests() -> None:
    """tests/ mirrors rgenv/: a file is tested in the file of its name."""
    missing = [
        name
        for name, path in MODULES.items()
        if path.stem != "__init__"
        and name not in NOT_BY_THEMSELVES
        and "verifiers" not in name
        and not (
            ROOT / "tests" / path.relative_to(ROOT / "rgenv").with_name(f"test_{path.stem}.py")
        ).exists()
    ]
    assert missing == []


def test_the_map_of_the_package_is_complete() -> None:
    """rgenv's docstring names every package and every file directly in it; theirs name the rest."""
    for package in (path for path in SOURCES if path.name == "__init__.py"):
        words = {word.strip(",:;.`") for word in package.read_text().split('"""')[1].split()}
        inside = [path for path in package.parent.iterdir() if path.name[0] not in "_."]
        named = {f"{path.name}/" if path.is_dir() else path.name for path in inside}
        assert named - words == set(), package


def test_the_readme_lists_the_options_of_the_class() -> None:
    """Names, defaults and descriptions; `python scripts/readme_options.py` writes them."""
    assert readme_options.with_table(README) == README


def test_the_readme_is_short() -> None:
    """200 lines at most."""
    assert len(README.splitlines()) <= 200


def test_the_tour_of_the_tree_is_the_tree() -> None:
    """Every folder of the README's tour is there, and every folder that is there is in the tour."""
    [tour] = re.findall(r"## The tree\n\n```\n(.*?)```", README, re.DOTALL)
    named = set(re.findall(r"(?:^|; )([\w-]+)/ ", tour, re.MULTILINE))
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True
    ).stdout.splitlines()
    if not tracked:
        pytest.skip("not a checkout")
    folders = {path.split("/")[0] for path in tracked if "/" in path and path[0] != "."}
    assert named == folders | {"reasoning-gym"}
    assert re.findall(r"^(\w+\.py) ", tour, re.MULTILINE) == [
        path for path in tracked if path.endswith(".py") and "/" not in path
    ]


def test_commands_of_the_readme_exist() -> None:
    """Every make target and subcommand that is named can be run."""
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"^make (\w+)", README, re.MULTILINE):
        assert f"\n{target}:" in makefile
    from reasoning_gym_environment import COMMANDS

    named = set(re.findall(r"reasoning_gym_environment\.py (\w+)", README))
    assert named <= {*COMMANDS, "validate"}


def test_every_test_says_what_it_shows() -> None:
    """Each test has a docstring of one sentence."""
    for path in (ROOT / "tests").rglob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (
                node.name.startswith("test_")
            ):
                assert ast.get_docstring(node), f"{path.name}: {node.name}"


def test_every_requirement_has_an_upper_bound_and_a_reason() -> None:
    """What is unbounded breaks one day; what has no reason can go."""
    for name in ("requirements.txt", "requirements-dev.txt", "requirements-learn.txt"):
        for line in (ROOT / name).read_text().splitlines():
            if line and not line.startswith(("#", "-r")):
                assert "<" in line and "  # " in line, line


def test_what_hangs_on_the_release_is_of_the_installed_one() -> None:
    """Kept data sets and quick searches switch themselves off for any other."""
    assert importlib.metadata.version("reasoning-gym") == operations.RELEASE


def test_the_submodule_is_optional() -> None:
    """The gitlink is recorded with its address, and the empty folder changes nothing."""
    from rgenv.pool.library import checkout_path

    assert "open-thought/reasoning-gym" in (ROOT / ".gitmodules").read_text()
    assert checkout_path(ROOT / "no-such-folder") is None


def test_a_checkout_is_used_when_it_is_there(tmp_path: Path) -> None:
    """A submodule that somebody checked out goes before the package."""
    from rgenv.pool.library import checkout_path

    (tmp_path / "reasoning_gym").mkdir()
    assert checkout_path(tmp_path) is None
    (tmp_path / "reasoning_gym" / "__init__.py").touch()
    assert checkout_path(tmp_path) == str(tmp_path)


def test_without_reasoning_gym_both_remedies_are_named() -> None:
    """Neither checkout nor package: one sentence says how to get either."""
    program = (
        "import sys; sys.modules['reasoning_gym'] = None\n"
        "from pathlib import Path\nimport importlib.util\n"
        "importlib.util.find_spec = lambda name: None\n"
        "from rgenv.pool.library import MissingReasoningGym, checkout_path\n"
        "try: checkout_path(Path('/nowhere'))\n"
        "except MissingReasoningGym as error: print(error)"
    )
    run = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert "pip install" in run.stdout and "git submodule" in run.stdout
