"""Install another trainer into a virtual environment of its own, for the tests against it.

    python scripts/install_trainer.py trl .venv-trl

The package itself is installed with its extra, from this checkout and editable. So the tests see
whether the bounds of the extras hold.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import venv
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
    "openenv": ("[openenv]", ["openenv-core==0.3.0", "uv==0.13.9"]),
}
"""Name -> extra of the package, and what is installed besides, in the versions that were tested.

verifiers asks for uv when its harnesses run, and OpenEnv for a lock file that uv writes; inspect-ai
needs openai for servers of its API.
"""


def main(words: list[str]) -> int:
    """Return the exit code: 0 done, 1 failed, 2 for a bad command line.

    A folder that could not be completed is removed.
    """
    if len(words) != 2 or words[0] not in TRAINERS:
        print(f"usage: install_trainer.py {{{','.join(TRAINERS)}}} FOLDER", file=sys.stderr)
        return 2
    name, folder = words[0], Path(words[1])
    try:
        install(name, folder)
    except subprocess.CalledProcessError:
        shutil.rmtree(folder, ignore_errors=True)
        print(f"{name} can't be installed here; pip says why.", file=sys.stderr)
        return 1
    return 0


def install(name: str, folder: Path) -> None:
    """Create the virtual environment and install into it.

    Raises:
        CalledProcessError: a package can't be installed.
    """
    venv.create(folder, with_pip=True, clear=True)
    pip = [str(folder / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "install"]
    extra, requirements = TRAINERS[name]
    if TORCH in requirements:  # before the others, so that they take the build that there is
        subprocess.run([*pip, TORCH], check=True)
    subprocess.run([*pip, *requirements, "-e", f"{ROOT}{extra}"], check=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
