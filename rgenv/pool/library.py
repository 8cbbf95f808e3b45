"""Find reasoning-gym for the workers: the checked-out submodule, else the installed package."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from rgenv.errors import MissingReasoningGym

CHECKOUT = Path(__file__).resolve().parents[2] / "reasoning-gym"
"""The folder of the submodule; empty until `git submodule update --init`."""


def checkout_path(checkout: Path = CHECKOUT) -> str | None:
    """Return the folder to import reasoning-gym from, or None for the installed package.

    A checked-out submodule has priority, so that one can work on reasoning-gym itself.

    Args:
        checkout: the folder of the submodule.

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
