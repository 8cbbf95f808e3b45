"""rgenv/adapters/ray.py: the same problems and scores from a cluster whose machines die."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from rgenv.cli.export import main as export
from tests.cli.test_export_problems import content
from tests.support.paths import ROOT
from tests.support.trainers import against, folder_of, run

WORDS = ["--problems", "2000", "--tasks", "gcd,lcm,maze", "--levels", "random", "--split", "train"]

PARTS = """
import sys
from rgenv.adapters import ray as adapter
from rgenv.cli import export
from rgenv.export import problem_set
problem_set.ROWS_IN_A_FILE, adapter.BATCH = 500, 100
"""

KILLED_NODE = f"""{PARTS}
import pathlib, threading, time
import ray
from ray.cluster_utils import Cluster

cluster = Cluster(initialize_head=True, head_node_args={{"num_cpus": 1}})
other = cluster.add_node(num_cpus=1)
ray.init(address=cluster.address, log_to_driver=False)
first = pathlib.Path(sys.argv[1])

def kill():
    while not list(first.glob("data/train-*.jsonl")):
        time.sleep(0.05)
    cluster.remove_node(other, allow_graceful=False)

threading.Thread(target=kill, daemon=True).start()
sys.exit(export.main(["--ray", cluster.address, *sys.argv[1:]]))
"""

DRIVER = f"{PARTS}from rgenv.cli.entry import answer\nsys.exit(answer(['export', *sys.argv[1:]]))"

DATA_SETS = """
import json, re, sys
import ray
from rgenv.adapters import ray as adapter
from rgenv.adapters.ray import make_problems, score

adapter.BATCH = 100
ray.init(address="local", num_cpus=2, log_to_driver=False)
made = make_problems(300, levels=[None, 0.5], seed=7, tasks=["gcd", "maze"])
rows = sorted(made.take_all(), key=lambda row: row["id"])
recipes = [row["recipe"] for row in rows]
for row in rows:
    row["completion"] = f"<answer>{row['answer']}</answer>"
rows += [rows[0], {**rows[0], "completion": "no tags"}]
rows.append({**rows[0], "recipe": '{"task": "gdc", "seed": 1}'})
rows.append({**rows[0], "recipe": '{"task": "gcd", "seed": 1, "source": "\\\\ud800"}'})
answered = score(ray.data.from_items(rows, override_num_blocks=1)).materialize()
[tasks] = re.findall(r"MapBatches\\(_Batches\\): (\\d+) tasks", answered.stats())
assert int(tasks) >= 3, answered.stats()  # several actors can share one block
found = sorted((row["score"], row["verdict"]) for row in answered.take_all())
print(json.dumps([recipes, found]))
"""


@against("ray")
def test_files_are_those_of_one_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rgenv.export.problem_set.ROWS_IN_A_FILE", 500)
    assert export([*WORDS, str(tmp_path / "one")]) == 0
    run("ray", "python", "-c", KILLED_NODE, tmp_path / "many", *WORDS, cwd=tmp_path)
    assert content(tmp_path / "many") == content(tmp_path / "one")
    words = ["-c", DRIVER, *WORDS, "--ray", "local", str(tmp_path / "again")]
    python = folder_of("ray") / "bin" / "python"
    driver = subprocess.Popen([python, *words], env={**os.environ, "PYTHONPATH": str(ROOT)})
    while not list(tmp_path.glob("again/data/train-*.jsonl")) and driver.poll() is None:
        time.sleep(0.01)
    driver.send_signal(signal.SIGKILL)
    driver.wait()
    assert len(list(tmp_path.glob("again/data/*.jsonl"))) < 4
    run("ray", "python", *words, cwd=tmp_path)
    assert content(tmp_path / "again") == content(tmp_path / "one")


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
    assert scored[0] == [0.0, "no_answer"]
    assert scored[1][1].startswith("not scored: The recipe is of another version of gcd (\\ud800;")
    assert scored[2][1].startswith("not scored: There is no task 'gdc'")
    assert scored[3:] == [[1.0, "scored"]] * 301


@against("ray")
@pytest.mark.parametrize(
    ("address", "said"), [("127.0.0.1:1", " ("), ("auto", ", which RAY_ADDRESS or /tmp/ray/")]
)
def test_no_cluster_is_one_sentence(tmp_path: Path, address: str, said: str) -> None:
    """The exit code is 1, also where the variable or Ray's file names a cluster that is gone."""
    words = ["--problems", "5", tmp_path / "data", "--tasks", "gcd", "--ray", address]
    done = subprocess.run(
        [folder_of("ray") / "bin" / "python", "-c", DRIVER, *words],
        env={**os.environ, "PYTHONPATH": str(ROOT), "RAY_ADDRESS": "127.0.0.1:1"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 1, done.stderr
    assert f"No Ray cluster answers at '127.0.0.1:1'{said}" in done.stderr
    assert "Traceback" not in done.stderr
