"""Say in one sentence which extra of the package is missing.

The package without extras makes problems and scores answers. requirements.txt installs what all
commands need.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable

from rgenv.errors import MissingExtra

PACKAGE = "rgenv"


def require_extra(extra: str, modules: Iterable[str], what: str) -> None:
    """Check, without imports, that the modules of an extra are here, or raise MissingExtra."""
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    if missing:
        raise MissingExtra(
            f'{what} needs {" and ".join(missing)}: run `pip install "{PACKAGE}[{extra}]"`.'
        )
