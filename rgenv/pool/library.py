"""Find reasoning-gym for the workers: the checked-out submodule, else the installed package.

Nothing here imports it.
"""

import ast
import importlib.util
from importlib import metadata
from pathlib import Path

from rgenv.errors import MissingReasoningGym
from rgenv.measured import RELEASE

CHECKOUT = Path(__file__).resolve().parents[2] / "reasoning-gym"
"""The folder of the submodule; empty until `git submodule update --init`."""


def checkout_path(checkout: Path = CHECKOUT) -> str | None:
    """Return the folder to import reasoning-gym from, or None for the installed package.

    A checked-out submodule has priority, so that one can work on reasoning-gym itself.

    Raises:
        MissingReasoningGym: there is neither; the message names both remedies.
    """
    if (checkout / "reasoning_gym" / "__init__.py").is_file():
        return str(checkout)
    if importlib.util.find_spec("reasoning_gym") is not None:
        return None
    raise MissingReasoningGym(
        "reasoning-gym is missing: run `pip install reasoning-gym==0.1.25`, or check the "
        "submodule out with `git submodule update --init reasoning-gym`."
    )


def is_measured() -> bool:
    """Return whether this is the installed release that was measured, so its tasks are known."""
    try:
        return checkout_path() is None and metadata.version("reasoning-gym") == RELEASE
    except (MissingReasoningGym, metadata.PackageNotFoundError):  # or a folder on the path
        return False


def parameter_names(config_class: str, checkout: Path = CHECKOUT) -> list[str]:
    """Return the parameters of a task, read from the source of the library, in its order.

    There are none if the task's configuration class, such as ``GCDConfig``, is not found.
    """
    for folder in _source_folders(checkout):
        for path in sorted(folder.rglob("*.py")):
            source = path.read_text(encoding="utf-8", errors="replace")
            if f"class {config_class}:" in source:
                return _fields(ast.parse(source), config_class)
    return []


def _source_folders(checkout: Path) -> list[Path]:
    if (path := checkout_path(checkout)) is not None:
        return [Path(path, "reasoning_gym")]
    found = importlib.util.find_spec("reasoning_gym")
    return [Path(name) for name in (found and found.submodule_search_locations) or ()]


def _fields(module: ast.Module, class_name: str) -> list[str]:
    return [
        line.target.id
        for statement in module.body
        if isinstance(statement, ast.ClassDef) and statement.name == class_name
        for line in statement.body
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name)
    ]
