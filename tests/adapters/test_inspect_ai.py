"""rgenv/adapters/inspect_ai.py: the evaluation, over doubles."""

import json
from pathlib import Path

import pytest

from tests.support.trainers import run_over_doubles

PROGRAM = """
import asyncio, json
from types import SimpleNamespace
from rgenv.adapters.inspect_ai import reasoning_gym

def failure(**arguments):
    try:
        reasoning_gym(**arguments)
    except Exception as error:
        return f"{type(error).__name__}: {error}"

task = reasoning_gym(["gcd", "maze"], levels=["none", 0.5], per_task=2)

async def scored(sample, text):
    state = SimpleNamespace(metadata=sample.metadata, output=SimpleNamespace(completion=text))
    return vars(await task.scorer(state, None))

async def main():
    sample = task.dataset[0]
    return [await scored(sample, text) for text in (f"<answer>{sample.target}</answer>", "none")]

print(json.dumps({
    "ids": [sample.id for sample in task.dataset],
    "levels": [sample.metadata["level"] for sample in task.dataset],
    "input": [message.content for message in task.dataset[0].input],
    "scores": asyncio.run(main()),
    "bad level": failure(levels="3"),
    "no module": failure(task_modules="no_such.py"),
    "one level": [s.metadata["level"] for s in reasoning_gym("gcd", 0.25, per_task=1).dataset],
}))
"""


@pytest.mark.slow
def test_held_out_problems_are_asked_at_each_level(tmp_path: Path) -> None:
    """A verdict gives score and accuracy, and says why a completion earned nothing."""
    found = json.loads(run_over_doubles("-c", PROGRAM, cwd=tmp_path))
    assert len(set(found["ids"])) == 8 and found["ids"][0].startswith("gcd-none-")
    assert found["levels"] == [None, None, 0.5, 0.5] * 2 and found["one level"] == [0.25]
    assert "<answer>" in found["input"][0] and "Greatest Common" in found["input"][1]
    right, wrong = found["scores"]
    assert right["value"] == {"score": 1.0, "solved": 1.0} and right["reason"] is None
    assert wrong["value"] == {"score": 0.0, "solved": 0.0} and wrong["reason"] == "no_answer"
    assert wrong["explanation"] == "no_answer: no answer tags"
    assert found["bad level"].startswith("BadUsage: '3' is not a list of levels")
    assert found["no module"] == "BadUsage: task_modules: no_such.py does not exist."
