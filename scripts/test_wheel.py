"""Runs the test suite against what is built, not against the source.

    python scripts/test_wheel.py [pytest's words …]

Makes a source distribution, a wheel from it, a tree of the two (everything that the wheel holds
comes from the wheel), a fresh virtual environment with the tested set, and runs the tests there.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def run(*command: object, cwd: Path) -> None:
    subprocess.run([str(word) for word in command], cwd=cwd, check=True)


def built(to: Path) -> tuple[Path, Path]:
    """The unpacked source distribution, and the wheel that was built from it."""
    run(sys.executable, "-m", "build", "--sdist", "--outdir", to, ".", cwd=ROOT)
    [archive] = to.glob("*.tar.gz")
    shutil.unpack_archive(archive, to)
    [source] = (path for path in to.iterdir() if path.is_dir())
    run(sys.executable, "-m", "build", "--wheel", "--outdir", to, ".", cwd=source)
    [wheel] = to.glob("*.whl")
    return source, wheel


def replace_by_wheel(source: Path, wheel: Path) -> None:
    """Take away what should be in the wheel, and put in what is."""
    shutil.rmtree(source / "rgenv")
    (source / "reasoning_gym_environment.py").unlink()
    shutil.unpack_archive(wheel, source, format="zip")


def main(words: list[str]) -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source, wheel = built(folder)
        replace_by_wheel(source, wheel)
        venv.create(folder / "venv", with_pip=True)
        python = folder / "venv" / "bin" / "python"
        run(
            python,
            "-m",
            "pip",
            "install",
            "-q",
            "-r",
            "requirements-dev.txt",
            "-c",
            "constraints.txt",
            cwd=source,
        )
        return subprocess.run([python, "-m", "pytest", *words], cwd=source).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
