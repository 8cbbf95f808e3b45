"""rgenv/adapters/trl.py, over doubles of accelerate and datasets, and with TRL's GRPOTrainer."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.support.trainers import against, run, run_over_doubles

GROUP_SIZE = 4

PROGRAM = """
import json
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from rgenv import ReasoningGym
from rgenv.adapters.trl import GRPOProblems
from tests.support.own_tasks import write

def reward(problems, rows, texts):
    pairs = list(zip(rows, texts, strict=True))
    return problems.reward(
        completions=[[{"role": "assistant", "content": text}] for _, text in pairs],
        completion_ids=[[1] for _ in pairs],
        **{column: [row[column] for row, _ in pairs] for column in ("recipe", "train")},
    )

def failure(function, *args):
    try:
        function(*args)
    except Exception as error:
        return f"{type(error).__name__}: {error}"

def learned(gym):  # the rest of a state changes as problems are made ahead
    return [stream["state"]["difficulty"] for stream in gym.state_dict()["streams"]]

def answer(gym, row):
    return f"<answer>{gym.make(**json.loads(row['recipe'])).answer}</answer>"

args = SimpleNamespace(shuffle_dataset=False, max_completion_length=9, ignore_data_skip=False)
found = {}
with ReasoningGym(["gcd"], seed=7, strict_verifiers=False) as gym:
    problems = GRPOProblems(gym)
    found["no callback"] = failure(next, iter(problems.dataset))
    shuffled = SimpleNamespace(shuffle_dataset=True, max_completion_length=9)
    found["shuffled"] = failure(problems.on_init_end, shuffled)
    problems.on_init_end(args)
    found["skips"] = args.ignore_data_skip
    stream = iter(problems.dataset)
    first = next(stream)
    found["first"] = first
    rows = [first] * 2 + [next(stream)] * 2
    found["rewards"] = reward(problems, rows, [answer(gym, first), None, "", "no tags"])
    found["no recipes"] = failure(
        lambda: problems.reward(completions=["a"], completion_ids=[[1]], prompts=["b"])
    )
    right = answer(gym, first)
    said = [{"role": "assistant", "content": [{"type": "text", "text": right}]}]
    tool = [*said, {"role": "tool", "content": right}]
    found["messages"] = problems.reward(
        completions=[said, tool, [{"role": "assistant"}], []],
        completion_ids=[[1]] * 4,
        recipe=[first["recipe"]] * 4,
        train=[False] * 4,
    )
    noisy = {"recipe": json.dumps(gym.make("countdown", 1).recipe), "train": True}
    found["noise"] = reward(problems, [noisy] * 2, ["<answer>zzz</answer>", ""])
    before = learned(gym)
    held_out = problems.held_out(5, level=0.5)
    reward(problems, held_out, [answer(gym, row) for row in held_out])
    found["learned from held out"] = learned(gym) != before
    saved = json.loads(json.dumps(problems.state()))
    later = [row["recipe"] for row in islice(stream, 3)]
    for row in [first] * 40:
        reward(problems, [row] * 4, [answer(gym, row)] * 4)
    levels = [json.loads(row["recipe"])["level"] for row in islice(stream, 60)]
    found["levels"] = [json.loads(first["recipe"])["level"], levels[-1]]
with ReasoningGym(["gcd"], seed=7, strict_verifiers=False) as gym:
    problems = GRPOProblems(gym)
    problems.on_init_end(args)
    state = SimpleNamespace(global_step=4, stateful_callbacks={"GRPOProblems": saved})
    problems.on_train_begin(args, state)
    found["resumed"] = [row["recipe"] for row in islice(problems.dataset, 3)] == later

with ReasoningGym(["own"], task_modules=[write(Path())]) as gym:
    problems = GRPOProblems(gym)
    problems.on_init_end(args)
    row = next(iter(problems.dataset))
    words = ["<answer>raise</answer>", "<answer>exit at once</answer>", "no"]
    found["failed"] = reward(problems, [row] * 4, [answer(gym, row), *words])
    found["all failed"] = reward(problems, [row] * 2, words[:1] * 2)
print(json.dumps(found))
"""


@pytest.mark.slow
def test_problems_and_rewards_over_doubles(tmp_path: Path) -> None:
    """Scores without noise, of what the model said last; levels that learn from training alone."""
    found = json.loads(run_over_doubles("-c", PROGRAM, cwd=tmp_path))
    assert found["rewards"] == [1.0, 0.0, 0.0, 0.0] and found["noise"] == [0.005, 0.005]
    assert found["messages"] == [1.0, 0.0, 0.0, 0.0]
    assert found["failed"] == [1.0, None, None, 0.0] and found["all failed"] == [None, None]
    before, after = found["levels"]
    assert after > before and found["learned from held out"] is False
    assert found["resumed"] is found["skips"] is True
    assert found["no callback"].startswith("BadUsage: ") and "callbacks=" in found["no callback"]
    assert found["shuffled"].startswith("BadUsage: Set shuffle_dataset=False")
    assert found["no recipes"].startswith("BadUsage: The data set has no recipes")


def report(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text())
    found["training"] = [batch for batch in found["seen"] if batch["train"][0]]
    return found


def asked(found: dict[str, Any]) -> list[str]:
    return [recipe for batch in found["training"] for recipe in batch["recipes"]]


@against("trl")
def test_grpo_trains_and_resumes(tmp_path: Path) -> None:
    """Each generation has whole groups, problems don't repeat, also after a resume, levels rise."""
    found = []
    for steps in ("8", "16"):
        run("trl", "python", "-m", "tests.support.trl_training", tmp_path, steps, cwd=tmp_path)
        found.append(report(tmp_path / "rank0.json"))
    counts = [Counter(asked(one)) for one in found]
    assert [len(one) for one in counts] == [8, 8] and not counts[0].keys() & counts[1].keys()
    assert set(counts[0].values()) == {GROUP_SIZE}
    assert all(batch["got"] == [1.0] * GROUP_SIZE for batch in found[0]["training"])
    levels = [json.loads(recipe)["level"] for one in found for recipe in asked(one)]
    assert levels[-1] > levels[0]
    held_out = [batch for batch in found[0]["seen"] if not batch["train"][0]]
    assert held_out and not {r for batch in held_out for r in batch["recipes"]} & counts[0].keys()


@against("trl")
def test_two_processes_share_each_group(tmp_path: Path) -> None:
    """Half of each group is in the other process; both curricula learn from whole groups."""
    words = ["--nproc_per_node", "2", "-m", "tests.support.trl_training", tmp_path, "8"]
    run("trl", "torchrun", *words, cwd=tmp_path)
    ranks = [report(tmp_path / f"rank{rank}.json") for rank in range(2)]
    for right, wrong in zip(*(rank["training"] for rank in ranks), strict=True):
        assert right["recipes"] == wrong["recipes"] and len(set(right["recipes"])) == 1
        assert right["got"] == [1.0, 1.0] and wrong["got"] == [0.0, 0.0]
    states = [rank["state"]["gym"]["streams"][0]["state"]["difficulty"] for rank in ranks]
    assert states[0] == states[1]


@against("trl")
def test_the_example_trains(tmp_path: Path) -> None:
    """examples/trainers/trl_grpo.py takes its steps, and some completions earn a reward."""
    printed = run("trl", "python", "-m", "examples.trainers.trl_grpo", "--steps=20", cwd=tmp_path)
    rewards = re.findall(r"^step \d+: reward (\S+)", printed, re.M)
    assert len(rewards) == 2 and float(rewards[0]) > 0
    assert (tmp_path / "trl_output" / "checkpoint-20" / "trainer_state.json").exists()


ENVIRONMENT = """
import json, sys, tempfile
from pathlib import Path
import trl
from examples.trainers import trl_grpo
from rgenv import ReasoningGym
from rgenv.adapters.trl_environment import environment, problems
from transformers import AutoTokenizer
from trl import GRPOConfig, GRPOTrainer

CALL = '<tool_call>{"name":"submit","arguments":{"answer":"%s"}}</tool_call>'
trl_grpo.ANSWERS = [CALL % "True", CALL % "False", "nothing"]

settings = {"tasks": ["isomorphic_strings"], "seed": 7, "answer_format": "boxed"}
with ReasoningGym(**settings) as gym, tempfile.TemporaryDirectory() as folder:
    one, row = environment(gym)(), next(iter(problems(gym, 0.5)))
    problem = gym.make(**json.loads(row["recipe"]))
    found = {"asks": one.reset(**row) == problem.question, "rewards": [one.get_reward()]}
    one.submit(problem.answer)
    one.submit("another")
    found["rewards"].append(one.get_reward())
    model = trl_grpo.write_tiny_model(Path(folder))
    tokenizer = AutoTokenizer.from_pretrained(model)
    templates = Path(trl.__file__).parent / "chat_templates"
    tokenizer.chat_template = (templates / "qwen3.jinja").read_text()
    trainer = GRPOTrainer(
        model,
        processing_class=tokenizer,
        args=GRPOConfig(
            output_dir=folder, max_steps=4, shuffle_dataset=False, num_generations=8,
            per_device_train_batch_size=8, max_completion_length=4, report_to="none",
            use_cpu=True, bf16=False, logging_steps=1,
        ),
        train_dataset=problems(gym, 0.5),
        environment_factory=environment(gym),
    )
    trainer.train()
    logs = [line for line in trainer.state.log_history if "reward" in line]
    found["reward"] = [line["reward"] for line in logs]
    found["calls"] = [line["tools/call_frequency"] for line in logs]
print(json.dumps(found))
"""


@against("trl")
def test_the_environment_owns_the_problem_and_the_reward(tmp_path: Path) -> None:
    """GRPOTrainer gets the question from `reset`; what the model submits by the tool is scored."""
    printed = run("trl", "python", "-c", ENVIRONMENT, cwd=tmp_path, TRL_EXPERIMENTAL_SILENCE="1")
    found = json.loads(printed.splitlines()[-1])
    assert found["asks"] is True and found["rewards"] == [0.0, 1.0]
    assert len(found["reward"]) == 4 and max(found["calls"]) > 0
    assert 0 < sum(found["reward"]) < 4  # a model that guesses
