"""A copy of reasoning-gym in which some tasks are not those of the release.

::

    folder = altered_library(tmp_path)
    WorkerPool(settings=WorkerSettings(import_path=str(folder)))

gcd asks for twice the greatest common divisor; kakurasu is gone; doubling and running are new, and
copies of chain_sum. The verifier of running executes answers.
"""

import importlib.util
import shutil
from pathlib import Path

CHANGED, NEW, EXECUTING, GONE = "gcd", "doubling", "running", "kakurasu"


def altered_library(folder: Path) -> Path:
    """Write the copy into `folder`, and return the folder to import it from."""
    spec = importlib.util.find_spec("reasoning_gym")
    assert spec is not None and spec.origin is not None
    package = folder / "reasoning_gym"
    shutil.copytree(Path(spec.origin).parent, package)
    gcd = package / "arithmetic" / "gcd.py"
    _replace(gcd, "str(result)", "str(2 * result)")
    _replace(gcd, "Find the Greatest", "Find twice the Greatest")
    games = package / "games" / "__init__.py"
    lines = games.read_text().splitlines()
    games.write_text("\n".join(line for line in lines if "akurasu" not in line))
    (package / "games" / "kakurasu.py").unlink()
    chain_sum = (package / "arithmetic" / "chain_sum.py").read_text()
    for task in (NEW, EXECUTING):
        text = chain_sum.replace("chain_sum", task).replace("ChainSum", task.title())
        (package / "arithmetic" / f"{task}.py").write_text(text)
    executing, scored = package / "arithmetic" / f"{EXECUTING}.py", "utils.compute_decimal_reward("
    _replace(executing, scored, "(lambda answer, **_: float(__import__('builtins').eval(answer)))(")
    with (package / "arithmetic" / "__init__.py").open("a") as file:
        file.write(f"\nfrom . import {NEW}, {EXECUTING}\n")
    return folder


def _replace(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text, f"{path} has no {old!r}"
    path.write_text(text.replace(old, new, 1))
