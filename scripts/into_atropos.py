"""Copy this environment into a checkout of Atropos, format it in Atropos' style, and try it there.

    python scripts/into_atropos.py ~/atropos
    environments/reasoning_gym_environment: 124 files; runs by path and by import
    hooks: black, check-added-large-files, check-yaml, end-of-file-fixer, flake8, ruff,
    trailing-whitespace: clean; not run: none

The copy is formatted as Atropos' hooks would do it, so its lines are shorter than ours. It lacks
the adapters to other trainers; nothing else differs. Hooks of the checkout that are not run here
are named. Everything in the folder is replaced except saved rollouts.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

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
HOOKS = {
    *("black", "check-added-large-files", "check-yaml", "end-of-file-fixer", "flake8", "ruff"),
    "trailing-whitespace",
}
"""The hooks whose work `format_copy` does."""

LARGEST = 500 * 1024
"""Bytes above which check-added-large-files refuses a file."""

FLAKE8 = ["--max-line-length=120", "--extend-ignore=E203,W503"]
IMPORT = (
    "from environments.reasoning_gym_environment.reasoning_gym_environment import ReasoningGymEnv;"
    "ReasoningGymEnv.config_init()"
)


class CopyFailed(RuntimeError):
    """The copy cannot be made or does not work; the message says why and names the remedy."""


def main(words: list[str] | None = None) -> int:
    """Return 0 if the copy works in the checkout, else 1."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("checkout", type=Path, help="the root of a checkout of Atropos")
    checkout = parser.parse_args(words).checkout.resolve()
    try:
        if not (checkout / "environments").is_dir():
            raise CopyFailed(
                f"{checkout} is no checkout of Atropos: it has no folder `environments`."
            )
        files = copy(checkout / FOLDER)
        format_copy(checkout)
        run_python(checkout, str(FOLDER / "reasoning_gym_environment.py"), "--help")
        run_python(checkout, "-c", IMPORT)
    except (CopyFailed, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    others = sorted(hooks_of(checkout) - HOOKS)
    print(f"{FOLDER}: {files} files; runs by path and by import")
    print(f"hooks: {', '.join(sorted(HOOKS))}: clean; not run: {', '.join(others) or 'none'}")
    return 0


def hooks_of(checkout: Path) -> set[str]:
    """Return the hooks that the checkout runs before a commit; none if it has no such file."""
    path = checkout / ".pre-commit-config.yaml"
    content = yaml.safe_load(path.read_text(encoding="utf-8")) if path.exists() else {}
    return {hook["id"] for repo in content.get("repos", []) for hook in repo["hooks"]}


def copy(target: Path) -> int:
    """Replace the files in the folder `target` and return how many it holds."""
    for name in SHIPPED:
        old, new = ROOT / name, target / name
        new.parent.mkdir(parents=True, exist_ok=True)
        if old.is_dir():
            shutil.rmtree(new, ignore_errors=True)
            shutil.copytree(old, new, ignore=shutil.ignore_patterns("__pycache__", "adapters"))
        else:
            shutil.copy(old, new)
    return sum(path.is_file() for path in target.rglob("*"))


def format_copy(checkout: Path) -> None:
    """Format the copy and check it as the hooks of Atropos do.

    Raises:
        CopyFailed: a linter reports something, or a file is too large.
    """
    folder = str(FOLDER)
    for path in filter(Path.is_file, (checkout / FOLDER).rglob("*")):
        if path.stat().st_size > LARGEST:
            raise CopyFailed(f"check-added-large-files: {path.name} has more than 500 KB")
        if path.suffix in (".yaml", ".yml"):
            yaml.safe_load(path.read_text(encoding="utf-8"))
        if path.suffix in (".py", ".md", ".txt", ".json", ".j2", ".dot"):
            mend_whitespace(path)
    sort_imports = ["-m", "ruff", "check", "--select=I", folder]
    run_python(checkout, *sort_imports, "--fix", "--quiet")
    run_python(checkout, "-m", "black", "--quiet", folder)
    run_python(checkout, *sort_imports)
    run_python(checkout, "-m", "black", "--check", folder)
    run_python(checkout, "-m", "flake8", *FLAKE8, folder)


def mend_whitespace(path: Path) -> None:
    """Remove blanks at the ends of lines, and end the file with one line break, if it has any."""
    lines = [line.rstrip(" \t\r") for line in path.read_text(encoding="utf-8").split("\n")]
    text = "\n".join(lines).rstrip("\n")
    path.write_text(f"{text}\n" if text else "", encoding="utf-8")


def run_python(checkout: Path, *words: str) -> None:
    """Run a Python program in the checkout.

    Raises:
        CopyFailed: its exit code is not 0; the message has the end of its output.
    """
    done = subprocess.run(
        [sys.executable, *words], cwd=checkout, capture_output=True, text=True, timeout=900
    )
    if done.returncode:
        output = (done.stdout + done.stderr).strip()
        program = words[1] if words[0] == "-m" else words[0]
        if "No module named" in output and words[0] == "-m":
            raise CopyFailed(f"{program} is not installed: pip install -r requirements-dev.txt")
        raise CopyFailed(f"{program} failed:\n{output[-2000:]}")


if __name__ == "__main__":
    sys.exit(main())
