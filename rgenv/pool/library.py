"""Where the workers find reasoning-gym: the submodule when it is checked out, else the package."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from rgenv.errors import MissingReasoningGym

CHECKOUT = Path(__file__).resolve().parents[2] / "reasoning-gym"
"""Where `git submodule update --init` puts reasoning-gym; empty in most clones."""


def checkout_path(checkout: Path = CHECKOUT) -> str | None:
    """The folder to put first on a worker's import path, or None for the installed package.

    A checked-out submodule wins over the package, so that one can work on reasoning-gym itself.

    Raises:
        MissingReasoningGym: neither is there; the message names both remedies.
    """
    if (checkout / "reasoning_gym" / "__init__.py").is_file():
        return str(checkout)
    if importlib.util.find_spec("reasoning_gym") is not None:
        return None
    raise MissingReasoningGym(
        "reasoning-gym is missing: run `pip install reasoning-gym==0.1.25`, or check the "
        "submodule out with `git submodule update --init reasoning-gym`."
    )
