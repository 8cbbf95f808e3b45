"""rgenv/adapters/verifiers.py: the taskset, over doubles, and run by verifiers."""

import json
import re
import shlex
from pathlib import Path

import pytest

from tests.support.chat_server import ChatServer, says
from tests.support.paths import ROOT
from tests.support.trainers import against, needs, run, run_over_doubles, run_while_serving

PLUGIN = "reasoning-gym-v1"

PROGRAM = """
import asyncio, json
from itertools import islice
from types import SimpleNamespace
from rgenv.adapters.verifiers import *
from rgenv.adapters.verifiers import ReasoningGymConfig as Config, ReasoningGymTaskset as Taskset
from rgenv.adapters.verifiers import HeldOutConfig, ReasoningGymHeldOutTaskset

stream = Taskset(Config(tasks=["gcd"], level=0.2))
tasks = list(islice(stream.load(), 4))
again = list(islice(Taskset(Config(tasks=["gcd"], level=0.2)).load(), 4))
held_out = ReasoningGymHeldOutTaskset(HeldOutConfig(tasks=["gcd", "maze"], per_task=3))

def failure(config):
    config.task.task_modules = ["no_such.py"]
    try:
        next(iter(Taskset(config).load()))
    except Exception as error:
        return str(error)

async def main():
    task = tasks[0]
    metrics = {}
    trace = SimpleNamespace(
        last_reply="no tags", assistant_messages=[], info={}, record_metric=metrics.__setitem__
    )
    changed = type(task)(task.data.model_copy(update={"prompt": "another"}), task.config)
    # A recipe makes the problem in a process that has only the data.
    return {
        "reward": await task.correct(trace),
        "info": trace.info,
        "metrics": metrics,
        "valid": await task.validate(None),
        "changed": await changed.validate(None),
    }

print(json.dumps({
    "infinite": [taskset.INFINITE for taskset in (stream, held_out, type(stream), type(held_out))],
    "no module": failure(Config(tasks=["own"])),
    "same": [task.data for task in tasks] == [task.data for task in again],
    "data": tasks[0].data.model_dump(),
    "held out": [task.data.name for task in held_out.load()],
    **asyncio.run(main()),
}))
"""


@pytest.mark.slow
def test_the_taskset_has_training_or_held_out_problems(tmp_path: Path) -> None:
    """Tasks come again for the same configuration, and validate their own reference answers."""
    found = json.loads(run_over_doubles("-c", PROGRAM, cwd=tmp_path))
    assert found["infinite"] == [True, False] * 2 and found["same"] is True
    assert found["data"]["name"] == "gcd" and found["data"]["recipe"]["level"] == 0.2
    assert "<answer>" in found["data"]["system_prompt"]
    assert found["held out"] == ["gcd"] * 3 + ["maze"] * 3
    assert found["reward"] == 0.0 and found["metrics"] == {"solved": 0.0}
    assert found["info"] == {"verdict": {"kind": "no_answer", "detail": "no answer tags"}}
    assert found["valid"] is True and found["changed"] is False
    assert found["no module"] == "task_modules: no_such.py does not exist."


CURRICULUM = """
import asyncio, json, sys, time
from pathlib import Path
from types import SimpleNamespace
from rgenv.stream import shared_evidence
from rgenv.adapters.verifiers import *
from rgenv.adapters.verifiers import ReasoningGymConfig as Config, ReasoningGymTaskset as Taskset

config = ReasoningGymTaskConfig(evidence="evidence", workers=1)
tasks = iter(Taskset(Config(tasks=["gcd"], level="curriculum", task=config)).load())

async def scored(task, cut):
    problem = await task._gym.make(**task.data.recipe)
    trace = SimpleNamespace(
        last_reply=f"<answer>{problem.answer}</answer>", assistant_messages=[], info={},
        record_metric=lambda name, value: None, is_truncated=cut,
    )
    return await task.correct(trace)

async def main(cut):
    levels = []
    for _ in range(40):
        task = next(tasks)
        levels.append(task.data.recipe["level"])
        await scored(task, cut)
        await asyncio.sleep(0.02)
    return levels

rising = asyncio.run(main(False))
other = shared_evidence.SharedEvidence(Path("evidence"), "an environment")
other.exchange([shared_evidence.Evidence("gcd", 0.6, 5, 1, 8)])
falling = asyncio.run(main(True))
print(json.dumps([rising, falling]))
"""


@pytest.mark.parametrize(
    "real",
    [pytest.param(False, marks=pytest.mark.slow), pytest.param(True, marks=needs("verifiers"))],
)
def test_the_curriculum_learns_from_the_processes_that_score(tmp_path: Path, real: bool) -> None:
    """Right answers raise the level of the problems that follow; cut ones lower it."""
    words = ["-c", CURRICULUM]
    printed = (
        run("verifiers", "python", *words, cwd=tmp_path)
        if real
        else run_over_doubles(*words, cwd=tmp_path)
    )
    rising, falling = json.loads(printed)
    assert rising[0] == 0.3 and rising[-1] >= 0.6
    assert falling[-1] < max(falling)


@against("verifiers")
def test_verifiers_validates_the_problems(tmp_path: Path) -> None:
    """`vf-validate` finds the plugin, and each problem passes with its answer, not without."""
    run(
        "verifiers",
        *("vf-validate", PLUGIN, "-n", 20, "--taskset.level", "random", "--no-rich"),
        *("--runtime.type", "subprocess", "-o", "out"),
        cwd=tmp_path,
    )
    [path] = tmp_path.glob("out/*/summary.json")
    checks = json.loads(path.read_text())["checks"]
    # Problems with more than one right answer have no reference answer to check.
    assert checks["gold"]["valid"] + checks["gold"]["unchecked"] == 20
    assert checks["noop"]["valid"] == 20


PAGE = (ROOT / "docs" / "trainers.md").read_text(encoding="utf-8")
DOCUMENTED = re.findall(r"^vf-eval (?:.*\\\n)*.*$", PAGE, re.MULTILINE)[0]


@against("verifiers")
async def test_the_documented_command_runs_without_an_account(tmp_path: Path) -> None:
    """docs/trainers.md has it; only the address is replaced, and the key is any word."""
    async with ChatServer(says("<answer>1</answer>")) as server:
        line = DOCUMENTED.replace("\\\n", " ").replace("http://localhost:8000/v1", server.url)
        words = shlex.split(line)
        await run_while_serving("verifiers", *words, cwd=tmp_path, OPENAI_API_KEY="x")
    [path] = tmp_path.rglob("traces.jsonl")
    traces = [json.loads(line)["traces"][0] for line in path.read_text().splitlines()]
    assert len(traces) == 2 * 20 * 4 and all(trace["rewards"]["correct"] for trace in traces)
