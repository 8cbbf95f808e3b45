"""The files in deploy/ start what this version of the environment understands."""

import json
import os
import re
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path

import pytest
import yaml

from demo.processes import OFFLINE
from rgenv.atropos.command_line import read
from rgenv.cli.entry import Request
from tests.support.paths import ROOT
from tests.support.programs import run_python

DEPLOY = ROOT / "deploy"
VALUES = {"MODEL": "org/model", "INFERENCE": "http://a/v1", "ROLLOUT_API": "http://api:8000"}


def filled(words: list[str]) -> list[str]:
    """Return words of a compose or Kubernetes file with their variables replaced."""
    values = {**VALUES, "REPLICA": "15"}
    variable = r"\$[{(](\w+)(?::\?[^})]*)?[)}]"
    return [re.sub(variable, lambda found: values[found[1]], word) for word in words]


def by_slurm(python: Path | str, **changes: str) -> subprocess.CompletedProcess[str]:
    """Run the script as task 3 of an array of sixteen, with another program for Python."""
    numbers = {"ID": "3", "COUNT": "16", "MIN": "0"}
    task = {f"SLURM_ARRAY_TASK_{name}": number for name, number in numbers.items()}
    places = {"SLURM_SUBMIT_DIR": str(ROOT), "PYTHON": str(python)}
    words, env = ["bash", str(DEPLOY / "slurm.sbatch")], VALUES | task | places | changes
    return subprocess.run(words, env=os.environ | env, capture_output=True, text=True)


def test_every_file_starts_a_replica(tmp_path: Path) -> None:
    """Their words are options of `serve`; SLURM's signal reaches the environment itself."""
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    objects = yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text())
    [job] = [one for one in objects if one["kind"] == "Job"]
    [container] = job["spec"]["template"]["spec"]["containers"]
    python = tmp_path / "python"
    python.write_text("#!/bin/bash\necho $PPID $@\n")
    python.chmod(0o755)
    parent, program, *slurm = by_slurm(python).stdout.split()
    assert program == "reasoning_gym_environment.py" and int(parent) == os.getpid()
    for words, number in (
        (slurm, (3, 16)),
        (filled(compose["services"]["replica-1"]["command"]), (1, 2)),
        (filled(container["args"]), (15, 16)),
    ):
        assert words[0] == "serve"
        request = read(words[0], words[1:])
        assert isinstance(request, Request)
        config, [server] = request.config, request.servers
        assert (config.replica_id, config.num_replicas) == number
        assert config.tokenizer_name == server.model_name == VALUES["MODEL"]
        assert server.base_url == VALUES["INFERENCE"]
        assert config.rollout_server_url.endswith("api:8000")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"SLURM_ARRAY_TASK_MIN": "1"}, "--array=0-15"),
        ({"MODEL": ""}, "the model that it serves"),
        ({"INFERENCE": ""}, "the inference server"),
        ({"ROLLOUT_API": ""}, "the rollout API"),
    ],
)
def test_the_batch_script_says_what_is_missing(change: dict[str, str], said: str) -> None:
    done = by_slurm("false", **change)
    assert done.returncode != 0 and said in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        "check-jsonschema --builtin-schema vendor.compose-spec deploy/compose.yaml",
        "check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/ci.yml",
        "kubernetes-validate --strict deploy/kubernetes.yaml",
        "hadolint deploy/Dockerfile",
        "shellcheck deploy/slurm.sbatch .ci/run",
    ],
)
def test_linters_report_nothing(words: str) -> None:
    linter, *rest = words.split()
    program = Path(sys.executable).parent / linter
    done = subprocess.run([program, *rest], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "warning" not in (done.stdout + done.stderr).lower()


def test_the_image_holds_what_the_environment_needs(tmp_path: Path) -> None:
    ignored = (ROOT / ".dockerignore").read_text().split()
    allowed = [word[1:] for word in ignored if word.startswith("!")]
    words: dict[str, list[str]] = {"COPY": [], "ENTRYPOINT": [], "CMD": []}
    for line in (DEPLOY / "Dockerfile").read_text().splitlines():
        word, _, rest = line.partition(" ")
        words.get(word, []).append(rest)
    for *sources, target in map(str.split, words["COPY"]):
        for source in sources:
            assert any(fnmatch(source, pattern) for pattern in allowed)
            copied = tmp_path / target / (source if target == "./" and "." in source else "")
            subprocess.run(["cp", "-r", str(ROOT / source), str(copied)], check=True)
    [entry], [default] = (map(json.loads, words[name]) for name in ("ENTRYPOINT", "CMD"))
    assert entry[0] == "python"
    done = run_python(*entry[1:], *default, cwd=tmp_path, env=os.environ | OFFLINE)
    assert "serve" in done.stdout
