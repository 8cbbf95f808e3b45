"""The environment works where people put it: in a checkout of Atropos, and installed."""

import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from tests.support.paths import ROOT
from tests.support.trainers import wheel

pytestmark = pytest.mark.soak


def run(*command: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    words = [str(word) for word in command]
    return subprocess.run(words, cwd=cwd, capture_output=True, text=True, timeout=300)


IMPORT = """
import asyncio
from environments.reasoning_gym_environment.reasoning_gym_environment import ReasoningGymEnv
from rgenv.pool.pool import WorkerPool
async def main():
    async with WorkerPool(workers=1) as pool:
        print(ReasoningGymEnv.name, (await pool.make('gcd', 1)).task)
asyncio.run(main())
"""


def test_it_runs_from_an_atropos_checkout(tmp_path: Path) -> None:
    script = "environments/reasoning_gym_environment/reasoning_gym_environment.py"
    folder = (tmp_path / script).parent
    shutil.copytree(ROOT / "rgenv", folder / "rgenv")
    shutil.copy(ROOT / "reasoning_gym_environment.py", folder)
    for command in ("serve", "process", "evaluate"):
        result = run(sys.executable, script, command, "--help", cwd=tmp_path)
        assert result.returncode == 0 and "--env.task_names" in result.stdout, result.stderr
    result = run(sys.executable, "-c", IMPORT, cwd=tmp_path)
    assert result.stdout.split() == ["reasoning_gym", "gcd"], result.stderr


def test_the_wheel_holds_every_file_of_the_packages() -> None:
    with zipfile.ZipFile(wheel()) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    files = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "rgenv").rglob("*")
        if path.is_file() and path.parent.name != "__pycache__"
    }
    data = ["measured.json", "pages/page.html", "py.typed"]
    assert {f"rgenv/{name}" for name in data} <= files
    plugins = {"reasoning_gym_v1.py", "reasoning_gym_held_out_v1.py"}
    assert names == files | plugins | {"reasoning_gym_environment.py"}


CORE = """
from pathlib import Path
import rgenv
from rgenv.runtime.machine import dumps_folder
with rgenv.ReasoningGym(["jugs"], workers=1) as gym:
    problem = gym.make("jugs", 7, level=0.5)
    print(gym.score(problem, [f"<answer>{problem.answer}</answer>", "7"]))
print(dumps_folder(None, Path(rgenv.__file__).parents[1]))  # not in site-packages
"""


def test_the_core_alone_makes_and_scores(tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv" / "bin" / "python"
    pip = [python, "-m", "pip", "--disable-pip-version-check", "-q"]
    done = run(*pip, "install", wheel(), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    installed = run(*pip, "list", "--format=freeze", cwd=tmp_path).stdout.split()
    assert len(installed) < 45 and not any(line.startswith("atroposlib") for line in installed)
    done = run(python, "-c", CORE, cwd=tmp_path)
    assert done.stdout == "[1.0, 0.0]\ndata_dumps\n", done.stderr
    command = python.parent / "rgenv"
    done = run(command, "serve", cwd=tmp_path)
    message = 'The environment needs atroposlib: run `pip install ".[atropos]"` in the checkout.'
    assert (done.returncode, done.stderr) == (1, f"error: {message}\n")
    done = run(command, "tasks", "gcd", cwd=tmp_path)
    assert "health    healthy" in done.stdout, done.stderr
    done = run(command, "tasks", "gcd", "--level", "0.5", "--answer", "0", cwd=tmp_path)
    assert "score    0" in done.stdout, done.stderr
