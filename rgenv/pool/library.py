"""Find reasoning-gym for the workers: the checked-out submodule, else the installed package.

Nothing here imports it.
"""

import importlib.util
import re
from importlib import metadata
from pathlib import Path

from rgenv.errors import MissingReasoningGym
from rgenv.measured import RELEASE

CHECKOUT = Path(__file__).resolve().parents[2] / "reasoning-gym"
"""The folder of the submodule; empty until `git submodule update --init`."""


def checkout_path(checkout: Path = CHECKOUT) -> str | None:
    """Return the folder of the checked-out submodule; None: the installed package is imported."""
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
    found = importlib.util.find_spec("reasoning_gym")
    installed = (found and found.submodule_search_locations) or ()
    own = checkout_path(checkout)
    for folder in [f"{own}/reasoning_gym"] if own else installed:
        for path in sorted(Path(folder).rglob("*.py")):
            source = path.read_text(encoding="utf-8", errors="replace")
            _, is_here, body = source.partition(f"\nclass {config_class}:\n")
            if is_here:
                return re.findall(r"^    (\w+): ", re.split(r"\n(?=\S|    def )", body)[0], re.M)
    return []
