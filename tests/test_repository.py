"""The project itself: arrows point down, and documents agree with the code."""

import ast
import importlib.metadata
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "scripts"))

import readme_options  # noqa: E402

from rgenv import worker  # noqa: E402

README = (ROOT / "README.md").read_text(encoding="utf-8")
SOURCES = sorted((ROOT / "rgenv").glob("*.py"))
DOOR = ROOT / "reasoning_gym_environment.py"


def imports(path: Path) -> set[str]:
    """Dotted names of everything a file imports."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_the_room_knows_nothing_of_the_door(path: Path) -> None:
    """No file of rgenv imports Atropos, wandb or the door."""
    tops = {name.split(".")[0] for name in imports(path)}
    assert not tops & {"atroposlib", "wandb", "reasoning_gym_environment", "demo"}


@pytest.mark.parametrize(
    "name",
    [
        "answers",
        "rewards",
        "rollouts",
        "journal",
        "balance",
        "delivery",
        "retries",
        "ending",
        "flags",
        "supply",
        "cell",
        "checkpoints",
        "stream",
        "surroundings",
    ],
)
def test_the_pure_parts_import_nothing_of_ours(name: str) -> None:
    """Text, numbers, files and limits stand by themselves."""
    ours = {m for m in imports(ROOT / "rgenv" / f"{name}.py") if m.startswith("rgenv")}
    assert not ours


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_only_the_child_knows_reasoning_gym(path: Path) -> None:
    """Its code runs in workers alone."""
    child = {"worker.py", "levels.py", "guard.py", "expressions.py", "oracles.py"}
    known = any(name.split(".")[0] in ("reasoning_gym", "sympy") for name in imports(path))
    assert not known or path.name in child


def test_every_module_has_its_tests() -> None:
    """A file of rgenv is tested in the file of its name."""
    missing = [
        p.stem
        for p in SOURCES
        if p.stem != "__init__" and not (ROOT / "tests" / f"test_{p.stem}.py").exists()
    ]
    assert missing == []


def test_the_map_of_the_package_is_complete() -> None:
    """rgenv's docstring names every file of the package."""
    named = set((ROOT / "rgenv" / "__init__.py").read_text().split('"""')[1].split())
    kinds = ("*.py", "*.json", "*.j2")
    files = {path.name for kind in kinds for path in (ROOT / "rgenv").rglob(kind)}
    assert files - {"__init__.py"} - {word.strip(",:;") for word in named} == set()


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
    for path in (ROOT / "tests").glob("test_*.py"):
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
    assert importlib.metadata.version("reasoning-gym") == worker.RELEASE


def test_the_submodule_is_optional() -> None:
    """The gitlink is recorded with its address, and the empty folder changes nothing."""
    from rgenv import reasoning_gym_path

    assert "open-thought/reasoning-gym" in (ROOT / ".gitmodules").read_text()
    assert reasoning_gym_path(ROOT / "no-such-folder") is None


def test_a_checkout_is_used_when_it_is_there(tmp_path: Path) -> None:
    """A submodule that somebody checked out goes before the package."""
    from rgenv import reasoning_gym_path

    (tmp_path / "reasoning_gym").mkdir()
    assert reasoning_gym_path(tmp_path) is None
    (tmp_path / "reasoning_gym" / "__init__.py").touch()
    assert reasoning_gym_path(tmp_path) == str(tmp_path)


def test_without_reasoning_gym_both_remedies_are_named() -> None:
    """Neither checkout nor package: one sentence says how to get either."""
    program = (
        "import sys; sys.modules['reasoning_gym'] = None\n"
        "from pathlib import Path\nimport importlib.util\n"
        "importlib.util.find_spec = lambda name: None\nimport rgenv\n"
        "try: rgenv.reasoning_gym_path(Path('/nowhere'))\n"
        "except rgenv.MissingReasoningGym as error: print(error)"
    )
    run = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert "pip install" in run.stdout and "git submodule" in run.stdout
