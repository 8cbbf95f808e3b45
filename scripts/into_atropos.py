"""Puts this environment into a checkout of Atropos, in Atropos' style, and tries it there.

    python scripts/into_atropos.py ~/atropos
    environments/reasoning_gym_environment: 74 files; black, ruff, flake8: clean; runs by path and
    by import

The copy is formatted by black and ruff as Atropos' hooks would do it, so its lines are shorter than
ours; nothing else differs. What is already in the folder is replaced, saved rollouts excepted.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = Path("environments", "reasoning_gym_environment")
SHIPPED = [
    "reasoning_gym_environment.py",
    "rgenv",
    "README.md",
    "LICENSE",
    "requirements.txt",
    "constraints.txt",
    "docs",
    "data_dumps/.gitignore",
]
FLAKE8 = ["--max-line-length=120", "--extend-ignore=E203,W503"]
IMPORT = (
    "from environments.reasoning_gym_environment.reasoning_gym_environment import ReasoningGymEnv;"
    "ReasoningGymEnv.config_init()"
)


class Failed(RuntimeError):
    """Something does not fit; the text says what, and what to do."""


def copy(to: Path) -> int:
    """Replace what is at `to`; the number of files."""
    for name in SHIPPED:
        source, target = ROOT / name, to / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)
    return sum(path.is_file() for path in to.rglob("*"))


def run(checkout: Path, *words: str) -> str:
    """The output of a Python program in the checkout.

    Raises:
        Failed: it ended with an error.
    """
    done = subprocess.run(
        [sys.executable, *words], cwd=checkout, capture_output=True, text=True, timeout=300
    )
    if done.returncode:
        output = (done.stdout + done.stderr).strip()
        what = words[1] if words[0] == "-m" else words[0]
        if "No module named" in output and words[0] == "-m":
            raise Failed(f"{what} is not installed: pip install -r requirements-dev.txt")
        raise Failed(f"{what} says:\n{output[-2000:]}")
    return done.stdout


def style(checkout: Path) -> None:
    """Format the copy, then hold it against all of Atropos' rules."""
    folder = str(FOLDER)
    sorting = ["-m", "ruff", "check", "--select=I", folder]
    run(checkout, *sorting, "--fix", "--quiet")
    run(checkout, "-m", "black", "--quiet", folder)
    run(checkout, *sorting)
    run(checkout, "-m", "black", "--check", folder)
    run(checkout, "-m", "flake8", *FLAKE8, folder)


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkout", type=Path, help="the root of a checkout of Atropos")
    checkout = parser.parse_args(words).checkout.resolve()
    try:
        if not (checkout / "environments").is_dir():
            raise Failed(f"{checkout} is no checkout of Atropos: it has no folder `environments`.")
        files = copy(checkout / FOLDER)
        style(checkout)
        run(checkout, str(FOLDER / "reasoning_gym_environment.py"), "--help")
        run(checkout, "-c", IMPORT)
    except (Failed, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(f"{FOLDER}: {files} files; black, ruff, flake8: clean; runs by path and by import")
    return 0


if __name__ == "__main__":
    sys.exit(main())
