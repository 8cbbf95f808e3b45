"""The files in deploy/ start what this version of the environment understands."""

import json
import os
import re
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
import yaml

from demo.processes import OFFLINE
from rgenv.atropos.command_line import read
from rgenv.cli import export_problems
from rgenv.cli.entry import Request
from tests.support.paths import ROOT

DEPLOY = ROOT / "deploy"
VALUES = {"MODEL": "org/model", "INFERENCE": "http://a/v1", "ROLLOUT_API": "http://api:8000"}
TIMEOUT = 300
"""Seconds after which a process counts as hung."""


def compose() -> dict[str, Any]:
    return yaml.safe_load((DEPLOY / "compose.yaml").read_text())


def kubernetes() -> dict[str, dict[str, Any]]:
    return {d["kind"]: d for d in yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text())}


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
    return subprocess.run(
        ["bash", str(DEPLOY / "slurm.sbatch")],
        env=os.environ | VALUES | task | places | changes,
        capture_output=True,
        text=True,
    )


def test_every_file_starts_a_replica(tmp_path: Path) -> None:
    """Their words are options of `serve`; SLURM's signal reaches the environment itself."""
    [container] = kubernetes()["Job"]["spec"]["template"]["spec"]["containers"]
    python = tmp_path / "python"
    python.write_text("#!/bin/bash\necho $PPID $@\n")
    python.chmod(0o755)
    parent, program, *slurm = by_slurm(python).stdout.split()
    assert program == "reasoning_gym_environment.py" and int(parent) == os.getpid()
    for words, number in (
        (slurm, (3, 16)),
        (filled(compose()["services"]["replica-1"]["command"]), (1, 2)),
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
    """Before it starts anything, the script names the variable or the option to correct."""
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
    """Each file satisfies the schema of its engine or the linter of its language."""
    linter, *rest = words.split()
    program = Path(sys.executable).parent / linter
    done = subprocess.run([program, *rest], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "warning" not in (done.stdout + done.stderr).lower()


def test_the_ray_job_has_a_command_and_pods_that_exist(tmp_path: Path) -> None:
    """KubeRay's file runs a command of ours; its templates are pods."""
    job = yaml.safe_load((DEPLOY / "kuberay.yaml").read_text())["spec"]
    program, command, *words = job["entrypoint"].split()
    assert (program, command) == ("rgenv", "export")
    assert export_problems._parse(words).ray == "auto"
    cluster = job["rayClusterSpec"]
    groups = [cluster["headGroupSpec"], *cluster["workerGroupSpecs"]]
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "pod"}}
    (tmp_path / "pods.yaml").write_text(yaml.safe_dump_all(pod | one["template"] for one in groups))
    validate = [Path(sys.executable).parent / "kubernetes-validate", "--strict"]
    subprocess.run([*validate, tmp_path / "pods.yaml"], check=True)


def instructions() -> list[tuple[str, str]]:
    """Return the instructions of the Dockerfile, each with its arguments."""
    lines = (DEPLOY / "Dockerfile").read_text().splitlines()
    pairs = [line.split(" ", 1) for line in lines if line and not line.startswith("#")]
    return [(word, rest) for word, rest in pairs]


def test_the_image_holds_what_the_environment_needs(tmp_path: Path) -> None:
    """The copied files exist, pass .dockerignore, and are enough to run the command."""
    ignored = (ROOT / ".dockerignore").read_text().split()
    allowed = [word[1:] for word in ignored if word.startswith("!")]
    for word, rest in instructions():
        if word != "COPY":
            continue
        *sources, target = rest.split()
        for source in sources:
            assert any(fnmatch(source, pattern) for pattern in allowed)
            copied = tmp_path / target / (source if target == "./" and "." in source else "")
            copy = ["cp", "-r", str(ROOT / source), str(copied)]
            subprocess.run(copy, check=True)
    [entry] = [json.loads(rest) for word, rest in instructions() if word == "ENTRYPOINT"]
    [default] = [json.loads(rest) for word, rest in instructions() if word == "CMD"]
    assert entry[0] == "python"
    done = subprocess.run(
        [sys.executable, *entry[1:], *default],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env=os.environ | OFFLINE,
        timeout=TIMEOUT,
    )
    assert done.returncode == 0 and "serve" in done.stdout
