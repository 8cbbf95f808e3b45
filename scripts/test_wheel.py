"""Run the test suite against the built wheel instead of the source.

    python scripts/test_wheel.py [arguments of pytest ...]

Builds a source distribution and a wheel from it. Replaces the packages of the unpacked source
distribution by those of the wheel. Installs the tested set of dependencies into a new virtual
environment and runs the tests there.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main(words: list[str]) -> int:
    """Return the exit code of pytest."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source, wheel = build(folder)
        replace_by_wheel(source, wheel)
        venv.create(folder / "venv", with_pip=True)
        python = folder / "venv" / "bin" / "python"
        requirements = ["--require-hashes", "-r", "requirements-dev-lock.txt"]
        run(python, "-m", "pip", "install", "-q", *requirements, cwd=source)
        return subprocess.run([python, "-m", "pytest", *words], cwd=source).returncode


def build(folder: Path) -> tuple[Path, Path]:
    """Return the unpacked source distribution and the wheel built from it."""
    run(sys.executable, "-m", "build", "--sdist", "--outdir", folder, ".", cwd=ROOT)
    [archive] = folder.glob("*.tar.gz")
    shutil.unpack_archive(archive, folder)
    [source] = (path for path in folder.iterdir() if path.is_dir())
    run(sys.executable, "-m", "build", "--wheel", "--outdir", folder, ".", cwd=source)
    [wheel] = folder.glob("*.whl")
    return source, wheel


def replace_by_wheel(source: Path, wheel: Path) -> None:
    """Remove the packages from the source tree and unpack the wheel there."""
    shutil.rmtree(source / "rgenv")
    (source / "reasoning_gym_environment.py").unlink()
    shutil.unpack_archive(wheel, source, format="zip")


def run(*command: str | Path, cwd: Path) -> None:
    """Run a command; raise CalledProcessError if it fails."""
    subprocess.run(command, cwd=cwd, check=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
