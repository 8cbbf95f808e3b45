"""rgenv/adapters/ray.py: the same problems and scores from a cluster whose machines die."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from rgenv.export.cli import main as export
from tests.export.test_problems import content
from tests.support.paths import ROOT
from tests.support.trainers import against, folder_of, run

WORDS = ["--problems", "2000", "--tasks", "gcd,lcm,maze", "--levels", "random", "--split", "train"]

KILLED_NODE = """
import sys, threading, time
import ray
from ray.cluster_utils import Cluster

cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
other = cluster.add_node(num_cpus=1)
ray.init(address=cluster.address, log_to_driver=False)
from rgenv.export import cli, problems_cli

problems_cli.ROWS_IN_A_FILE, problems_cli.PART = 500, 100
first = sys.argv[1]

def kill():
    import pathlib
    while not list(pathlib.Path(first).glob("data/train-*")):
        time.sleep(0.05)
    cluster.remove_node(other, allow_graceful=False)

threading.Thread(target=kill, daemon=True).start()
sys.exit(cli.main(["--ray", cluster.address, "--workers", "1", *sys.argv[1:]]))
"""

PARTS = """
import sys
from rgenv.export import cli, problems_cli
problems_cli.ROWS_IN_A_FILE, problems_cli.PART = 500, 100
sys.exit(cli.main(sys.argv[1:]))
"""

DATA_SETS = """
import json, sys
import ray
from rgenv.adapters.ray import make_problems, score

ray.init(address="local", num_cpus=2, log_to_driver=False)
settings = {"tasks": ["gcd", "maze"], "workers": 1}
rows = make_problems(300, levels=[None, 0.5], seed=7, **settings).take_all()
for row in rows:
    row["completion"] = f"<answer>{row['answer']}</answer>"
rows.append({**rows[0], "completion": "no tags"})
rows.append({**rows[0], "recipe": '{"task": "gdc", "seed": 1}'})
scored = score(ray.data.from_items(rows), workers=1).take_all()
print(json.dumps([[row["recipe"] for row in rows[:300]], sorted(
    (row["score"], row["verdict"]) for row in scored)]))
"""


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """No statistics are sent, and no token is needed on this machine."""
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")


@against("ray")
def test_a_lost_machine_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A node is killed in the middle; the files have the bytes of one process."""
    monkeypatch.setattr("rgenv.export.problems_cli.ROWS_IN_A_FILE", 500)
    assert export([*WORDS, str(tmp_path / "one")]) == 0
    run("ray", "python", "-c", KILLED_NODE, tmp_path / "many", *WORDS, cwd=tmp_path)
    assert content(tmp_path / "many") == content(tmp_path / "one")


@against("ray")
def test_a_killed_driver_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After kill -9 of the command, the same command writes what is missing, and nothing twice."""
    monkeypatch.setattr("rgenv.export.problems_cli.ROWS_IN_A_FILE", 500)
    assert export([*WORDS, str(tmp_path / "one")]) == 0
    words = ["-c", PARTS, *WORDS, "--workers", "1", "--ray", "local", str(tmp_path / "many")]
    python = folder_of("ray") / "bin" / "python"
    driver = subprocess.Popen([python, *words], env={**os.environ, "PYTHONPATH": str(ROOT)})
    while not list(tmp_path.glob("many/data/train-*")) and driver.poll() is None:
        time.sleep(0.01)
    driver.send_signal(signal.SIGKILL)
    driver.wait()
    assert len(list(tmp_path.glob("many/data/*.jsonl"))) < 4
    run("ray", "python", *words, cwd=tmp_path)
    assert content(tmp_path / "many") == content(tmp_path / "one")


@against("ray")
def test_data_sets_are_made_and_scored(tmp_path: Path) -> None:
    """Problems are those of `export`, answers score, and a row that can't be scored says why."""
    words = ["--tasks", "gcd,maze", "--levels", "none,0.5", "--split", "train", "--seed", "7"]
    assert export(["--problems", "300", *words, str(tmp_path / "one")]) == 0
    rows = (tmp_path / "one" / "data" / "train-00000-of-00001.jsonl").read_text().splitlines()
    recipes, scored = json.loads(
        run("ray", "python", "-c", DATA_SETS, cwd=tmp_path).splitlines()[-1]
    )
    assert recipes == [json.loads(row)["recipe"] for row in rows]
    assert scored[0][0] == scored[1][0] == 0.0
    assert sorted(said for _, said in scored[:2])[0] == "no_answer"
    assert "not scored: There is no task 'gdc'" in scored[1][1] + scored[0][1]
    assert scored[2:] == [[1.0, "scored"]] * 300


@against("ray")
def test_no_cluster_is_one_sentence(tmp_path: Path) -> None:
    """The exit code is 1, and nothing was written but the folder's note."""
    python = folder_of("ray") / "bin" / "python"
    words = ["--problems", "5", str(tmp_path / "data"), "--tasks", "gcd", "--ray", "127.0.0.1:1"]
    done = subprocess.run(
        [python, "-c", PARTS, *words],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 1, done.stderr
    assert "error: No Ray cluster answers at '127.0.0.1:1'" in done.stderr
    assert "Traceback" not in done.stderr
