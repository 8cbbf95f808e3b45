"""rgenv/adapters/ray.py: the same problems and scores from a cluster whose machines die."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from rgenv import ReasoningGym
from rgenv.cli.export import main as export
from tests.export.test_export_problems import content
from tests.support.own_tasks import WHOLE, write
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
from rgenv.export import export_completions, export_problems

export_problems.ROWS_IN_A_FILE, export_problems.PART = 500, 100
first = sys.argv[1]

def kill():
    import pathlib
    while not list(pathlib.Path(first).glob("data/train-*")):
        time.sleep(0.05)
    cluster.remove_node(other, allow_graceful=False)

threading.Thread(target=kill, daemon=True).start()
sys.exit(export_completions.main(["--ray", cluster.address, "--workers", "1", *sys.argv[1:]]))
"""

PARTS = """
import sys
from rgenv.export import export_completions, export_problems
export_problems.ROWS_IN_A_FILE, export_problems.PART = 500, 100
sys.exit(export_completions.main(sys.argv[1:]))
"""

DATA_SETS = """
import json, re, sys
import ray
from rgenv.adapters import ray as adapter
from rgenv.adapters.ray import make_problems, score

adapter.BATCH = 100
ray.init(address="local", num_cpus=2, log_to_driver=False)
settings = {"tasks": ["gcd", "maze"], "workers": 1}
made = make_problems(300, levels=[None, 0.5], seed=7, **settings)
rows = sorted(made.take_all(), key=lambda row: row["id"])
for row in rows:
    row["completion"] = f"<answer>{row['answer']}</answer>"
rows += [rows[0], {**rows[0], "completion": "no tags"}]
rows.append({**rows[0], "recipe": '{"task": "gdc", "seed": 1}'})
rows.append({**rows[0], "recipe": '{"task": "gcd", "seed": 1, "source": "\\\\ud800"}'})
answered = score(ray.data.from_items(rows, override_num_blocks=1), workers=1).materialize()
[tasks] = re.findall(r"MapBatches\\(_Batches\\): (\\d+) tasks", answered.stats())
assert int(tasks) >= 3, answered.stats()  # several actors can share one block
scored = answered.take_all()
print(json.dumps([[row["recipe"] for row in rows[:300]], sorted(
    (row["score"], row["verdict"]) for row in scored)]))
"""


ATTACKS = """
import asyncio, functools, json, sys
from rgenv.adapters.ray import Cluster
from rgenv.gym.gym import Gym
from rgenv.gym.settings import Settings

async def main():
    settings = Settings(workers=1, task_modules=[sys.argv[1]], require_wall=True)
    cluster = Cluster("local", functools.partial(Gym.start, settings), processors=1)
    recipe = {"task": "backwards", "seed": 1}
    texts = [f"<answer>{text}</answer>" for text in sys.argv[2:]]
    print(json.dumps([await cluster.run(Gym.score, recipe, [text]) for text in texts]))
    await cluster.close()

asyncio.run(main())
"""

NO_ROOM = """
import asyncio, os
import ray
from ray.cluster_utils import Cluster as Nodes
from rgenv.adapters import ray as adapter
from rgenv.adapters.ray import Cluster
from rgenv.errors import StartupError

adapter.ATTEMPTS = 3  # each waits for a new actor

async def start():
    return "held"

async def work(held, n):
    await asyncio.sleep(0.1)
    return n

async def die(held):
    os._exit(1)

async def main():
    nodes = Nodes(initialize_head=True, head_node_args={"num_cpus": 1})
    for _ in range(3):
        nodes.add_node(num_cpus=1)
    ray.init(nodes.address)
    other = ray.remote(num_cpus=1)(adapter._Actor).remote(start)
    await other.__ray_ready__.remote()
    cluster = Cluster(nodes.address, start, processors=2)
    assert cluster.calls == 8  # of four actors, each on all of a machine, but one is taken
    assert await asyncio.gather(*(cluster.run(work, n) for n in range(30))) == [*range(30)]
    try:
        await cluster.run(die)
    except StartupError as error:
        print(error)
    assert await cluster.run(work, 7) == 7
    await cluster.close()
    ray.shutdown()
    nodes.shutdown()

asyncio.run(main())
"""


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """No statistics are sent, and no token is needed on this machine."""
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")


@against("ray")
def test_a_lost_machine_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A node is killed in the middle; the files have the bytes of one process."""
    monkeypatch.setattr("rgenv.cli.export_problems.ROWS_IN_A_FILE", 500)
    assert export([*WORDS, str(tmp_path / "one")]) == 0
    run("ray", "python", "-c", KILLED_NODE, tmp_path / "many", *WORDS, cwd=tmp_path)
    assert content(tmp_path / "many") == content(tmp_path / "one")


@against("ray")
def test_a_killed_driver_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After kill -9 of the command, the same command writes what is missing, and nothing twice."""
    monkeypatch.setattr("rgenv.cli.export_problems.ROWS_IN_A_FILE", 500)
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
    assert scored[0] == [0.0, "no_answer"]
    assert scored[1][1].startswith("not scored: The recipe is of another version of gcd (\\ud800;")
    assert scored[2][1].startswith("not scored: There is no task 'gdc'")
    assert scored[3:] == [[1.0, "scored"]] * 301


@against("ray")
def test_no_cluster_is_one_sentence(tmp_path: Path) -> None:
    """The exit code is 1, and nothing was written but the folder's note."""
    words = ["--problems", "5", tmp_path / "data", "--tasks", "gcd", "--ray", "127.0.0.1:1"]
    _, said = _failed("-c", PARTS, *words, cwd=tmp_path)
    assert "No Ray cluster answers at '127.0.0.1:1'" in said and "Traceback" not in said


@against("ray")
def test_attacks_in_an_actor_touch_nothing(tmp_path: Path) -> None:
    """A verifier that attacks, in an actor: the wall is that of any other pool."""
    module = write(tmp_path)
    with ReasoningGym("own", task_modules=module, workers=1) as gym:
        right = gym.make("backwards", 1).answer
    attacks = ["append", "shell", "fork", "read", "connect", "kill", "execute"]
    words = ["-c", ATTACKS, module, right, *attacks, right]
    printed = run("ray", "python", *words, cwd=tmp_path)
    assert json.loads(printed.splitlines()[-1]) == [[1.0], *[[0.0]] * len(attacks), [1.0]]
    assert module.read_text() == WHOLE


@against("ray")
def test_actors_without_room_and_actors_that_die_hold_nothing_up(tmp_path: Path) -> None:
    """Calls go to actors that run; work that kills each of them ends with one sentence."""
    printed = run("ray", "python", "-c", NO_ROOM, cwd=tmp_path)
    assert "3 actors of the Ray cluster died with the same work: The actor is dead" in printed


def _failed(*words: object, cwd: Path) -> tuple[str, str]:
    """Return what a program prints and logs that ends with 1."""
    done = subprocess.run(
        [folder_of("ray") / "bin" / "python", *map(str, words)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        cwd=cwd,
        text=True,
        timeout=300,
    )
    assert done.returncode == 1, done.stderr
    return done.stdout, done.stderr
