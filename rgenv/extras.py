"""Say in one sentence which extra of the package is missing.

::

    require_extra("report", ["jinja2"], "The report")
    # MissingExtra: The report needs jinja2: run `pip install "rgenv[report]"`.

The package without extras makes problems and scores answers. requirements.txt installs what all
commands need.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable

from rgenv.errors import MissingExtra

PACKAGE = "rgenv"


def require_extra(extra: str, modules: Iterable[str], what: str) -> None:
    """Check that the modules of an extra can be imported, without importing them.

    Args:
        what: needs them; the first words of the message.

    Raises:
        MissingExtra: one is not installed.
    """
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    if missing:
        raise MissingExtra(
            f'{what} needs {" and ".join(missing)}: run `pip install "{PACKAGE}[{extra}]"`.'
        )
