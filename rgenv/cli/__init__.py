"""The command line: commands, options, help, and mistakes in one sentence."""

import sys
from importlib.util import find_spec

PACKAGES = ("filelock", "msgspec", "numpy", "pydantic", "regex", "tqdm")

if missing := [name for name in PACKAGES if find_spec(name) is None]:
    sys.exit(
        f"error: {sys.executable} does not have {', '.join(missing)}: run `make demo` once and "
        "`source .venv/bin/activate`, or install them with `pip install .` in the checkout."
    )
