"""The files in deploy/ start what this version of the environment understands."""

import asyncio
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
import yaml

from demo.launch import start_api
from demo.policy import Policy
from demo.policy_server import start as start_policy_server
from demo.processes import OFFLINE, Child, Children
from demo.trainer import TrainerReport, run_trainer
from rgenv.export import problems_cli
from tests.support.paths import ROOT
from tests.support.polling import until

DEPLOY = ROOT / "deploy"
SMALL = """
--env.task_names=gcd,chain_sum --env.group_size=4 --env.batch_size=16 --env.max_token_length=2048
--env.num_eval_samples_per_task=1 --env.scoring_workers=1 --env.ensure_scores_are_not_same=false
--env.wandb_name=test
""".split()
TIMEOUT = 300
"""Seconds after which a process counts as hung."""


def compose() -> dict[str, Any]:
    return yaml.safe_load((DEPLOY / "compose.yaml").read_text())


def kubernetes() -> dict[str, dict[str, Any]]:
    return {d["kind"]: d for d in yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text())}


def filled(word: str, values: Mapping[str, str]) -> str:
    """Return a word of a compose or Kubernetes file with its variables replaced."""
    return re.sub(r"\$[{(](\w+)(?::\?[^})]*)?[)}]", lambda found: values[found[1]], word)


def compose_words(values: Mapping[str, str]) -> list[str]:
    return [filled(word, values) for word in compose()["services"]["replica-1"]["command"]]


def kubernetes_words(values: Mapping[str, str]) -> list[str]:
    [container] = kubernetes()["Job"]["spec"]["template"]["spec"]["containers"]
    return [filled(word, {**values, "REPLICA": "15"}) for word in container["args"]]


def slurm(values: Mapping[str, str]) -> dict[str, str]:
    """Return the environment variables of one task of an array of sixteen."""
    numbers = {"ID": "3", "COUNT": "16", "MIN": "0"}
    task = {f"SLURM_ARRAY_TASK_{name}": number for name, number in numbers.items()}
    places = {"SLURM_SUBMIT_DIR": str(ROOT), "PYTHON": sys.executable}
    return {**values, **task, **places}


@pytest.mark.soak
async def test_every_file_starts_a_replica_that_feeds_the_api(
    tmp_path: Path, tokenizer: Any, tokenizer_dir: Path
) -> None:
    """Replicas started by SLURM, compose and Kubernetes deliver groups and end cleanly on TERM."""
    policy = await start_policy_server(Policy(seed=1), tokenizer)
    small = [*SMALL, f"--env.data_dumps_dir={tmp_path}"]
    async with Children(logs=tmp_path) as children:
        api = await start_api(children)
        inference = f"http://127.0.0.1:{policy.port}/v1"
        values = {"MODEL": str(tokenizer_dir), "INFERENCE": inference, "ROLLOUT_API": api}
        program = [sys.executable, "reasoning_gym_environment.py"]
        hosts = [("http://api:8000", api), ("http://rollout-api:8000", api)]
        replicas = [
            await children.start(
                "slurm", ["bash", str(DEPLOY / "slurm.sbatch"), *small], OFFLINE | slurm(values)
            )
        ]
        for name, words in (("compose", compose_words(values)), ("k8s", kubernetes_words(values))):
            for old, new in hosts:
                words = [word.replace(old, new) for word in words]
            replicas.append(await children.start(name, [*program, *words, *small]))
        batches: list[TrainerReport] = []
        training = asyncio.create_task(
            run_trainer(
                api,
                num_batches=10**6,  # a replica ends by a signal only
                timeout=TIMEOUT,
                batch_size=16,
                max_token_len=2049,
                checkpoint_dir=str(tmp_path / "checkpoints"),
                on_batch=batches.append,
            )
        )
        await children.while_alive(until(lambda: all(map(steps, replicas)), timeout=TIMEOUT))
        for replica in replicas:
            replica.process.send_signal(signal.SIGTERM)
        for replica in replicas:
            async with asyncio.timeout(TIMEOUT):
                assert await replica.process.wait() == 143
            log = replica.log.read_text()
            number = {"slurm": "3 of 16", "compose": "1 of 2", "k8s": "15 of 16"}[replica.name]
            assert f"This is replica {number}" in log and "Traceback" not in log
            assert "Ended: signal SIGTERM. Result: " in log.splitlines()[-1]
            assert not re.search(r"Result: 0 groups delivered", log)
        training.cancel()
        await asyncio.gather(training, return_exceptions=True)
        assert batches and batches[-1].problems == []
    await policy.close()


def steps(replica: Child) -> list[str]:
    """Return the steps that a replica has logged; it has one only if its groups arrive."""
    return re.findall(r"Step (\d+) of ", replica.log.read_text())


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
    values = {"MODEL": "m", "INFERENCE": "http://a/v1", "ROLLOUT_API": "http://b"}
    environment = os.environ | slurm(values) | change | {"PYTHON": "false"}
    done = subprocess.run(
        ["bash", str(DEPLOY / "slurm.sbatch")], env=environment, capture_output=True, text=True
    )
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
    assert problems_cli._parse(words).ray == "auto"
    cluster = job["rayClusterSpec"]
    groups = [cluster["headGroupSpec"], *cluster["workerGroupSpecs"]]
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "pod"}}
    (tmp_path / "pods.yaml").write_text(yaml.safe_dump_all(pod | one["template"] for one in groups))
    validate = [Path(sys.executable).parent / "kubernetes-validate", "--strict"]
    subprocess.run([*validate, tmp_path / "pods.yaml"], check=True)


def test_replicas_are_numbered_without_gaps() -> None:
    """Each file gives as many replica numbers as it starts replicas."""
    services = compose()["services"]
    commands = [s["command"] for name, s in services.items() if name.startswith("replica-")]
    ids = [word.split("=")[1] for words in commands for word in words if "replica_id" in word]
    assert ids == [str(number) for number in range(len(commands))]
    assert all(f"--env.num_replicas={len(commands)}" in words for words in commands)
    job = kubernetes()["Job"]["spec"]
    [container] = job["template"]["spec"]["containers"]
    assert job["completionMode"] == "Indexed" and job["completions"] == job["parallelism"] == 16
    assert "--env.num_replicas=16" in container["args"]


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


@pytest.mark.soak
def test_the_image_is_built_by_commands_that_work(tmp_path: Path) -> None:
    """Each RUN line works, with stubs for the programs that would change this machine."""
    stubs = {
        "pip": f'exec "{sys.executable}" -m pip "$@" --dry-run --quiet --no-deps',
        "useradd": 'test "$2 $3" = "--uid 1000"',
        "chown": 'test "$1" = 1000 && test -d "$2"',
    }
    for name, line in stubs.items():
        stub = tmp_path / "bin" / name
        stub.parent.mkdir(exist_ok=True)
        stub.write_text(f"#!/bin/sh\n{line}\n")
        stub.chmod(0o755)
    shutil.copy(ROOT / "requirements-lock.txt", tmp_path)
    path = f"{tmp_path / 'bin'}:{os.environ['PATH']}"
    for word, rest in instructions():
        if word == "RUN":
            subprocess.run(
                ["sh", "-ec", rest], cwd=tmp_path, env=os.environ | {"PATH": path}, check=True
            )
    assert (tmp_path / "data_dumps").is_dir()
