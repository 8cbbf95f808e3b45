"""A user's own tasks in the commands: trained on, evaluated, checked, and their mistakes."""

import re
import shlex
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from demo.policy import Completion, Policy, user_message
from demo.policy_server import start as start_policy_server
from demo.processes import Children
from rgenv.atropos.command_line import read
from tests.support.commands import GROUP_SIZE, Commands, run_here
from tests.support.dumps import rows
from tests.support.own_tasks import write
from tests.support.paths import ROOT
from tests.support.viewed import page_data

pytestmark = pytest.mark.slow

FAULTS = ("hang", "raise", "write", "execute", "none", "text", "nan")
"""Answers at which the verifier fails."""
FAILURES = {"timeout", "error", "rejected"}
"""Kinds of their verdicts."""


@dataclass
class Backwards(Policy):
    """Solves the task, but for one answer of each third group, at which the verifier fails."""

    groups: int = 0

    def complete(self, prompt_text: str, n: int, max_tokens: int) -> list[Completion]:
        number = re.findall(r"\w+", user_message(prompt_text))[1]
        answers = [number[::-1]] * n
        self.groups += n > 1
        if n > 1 and self.groups % 3 == 0:
            answers[0] = FAULTS[self.groups // 3 % len(FAULTS)]
        return [Completion(f"<think>t</think><answer>{one}</answer>", "stop") for one in answers]


@pytest_asyncio.fixture(loop_scope="session")
async def own(tmp_path: Path, tokenizer: Any, tokenizer_dir: Path) -> AsyncIterator[Commands]:
    """Commands on a module with one task, over the policy above."""
    policy = await start_policy_server(Backwards(seed=1), tokenizer)
    async with Children(logs=tmp_path) as children:
        own = Commands(children, tmp_path, tokenizer_dir, f"http://127.0.0.1:{policy.port}")
        own.options = {
            "task_modules": write(tmp_path),
            "task_names": "own",
            "num_eval_samples_per_task": 3,
            "ensure_scores_are_not_same": "false",
            "dump_rollouts": "true",
            "scoring_timeout": 1,
        }
        yield own
    await policy.close()


async def test_process_raises_the_level_and_survives_faulty_verifiers(own: Commands) -> None:
    """A fault costs one score. The groups carry recipes with the hash of the file, and are seen."""
    out = own.folder / "groups.jsonl"
    ended = await own.run_here(
        "process",
        complexity_mode="curriculum",
        total_steps=32,
        curriculum_target_accuracy=0.6,
        data_path_to_save_groups=out,
    )
    assert ended.code == 0, ended.err
    groups = [group["metadata"] for group in own.dumped()]
    assert len(rows(out)) == len(groups) == 32
    assert max(group["level"] for group in groups) > min(group["level"] for group in groups)
    verdicts = {kind for group in groups for kind in group["verdicts"]}
    assert verdicts == {"scored", *FAILURES}
    for group in groups:
        right = [kind == "scored" for kind in group["verdicts"]]
        assert group["raw_scores"] == [float(one) for one in right] and sum(right) >= GROUP_SIZE - 1
        assert group["source"] == group["recipe"]["source"] and group["source"].startswith("own:")
    module = own.options["task_modules"]
    for words in (f"view {own.folder}", f"export dumps --task-modules={module}"):
        seen = await run_here(own.folder, *words.split())
        assert seen.code == 0, seen.err
    [page] = own.folder.glob("*.html")
    assert page_data(page)[0]["tasks"] == ["backwards"]
    exported = [row for path in (own.folder / "dumps").glob("*best*") for row in rows(path)]
    assert exported


async def test_the_page_is_right() -> None:
    page = (ROOT / "docs" / "own_tasks.md").read_text(encoding="utf-8")
    [block] = re.findall(r"```bash\n(.*?)```", page, re.S)
    tasks, answer, validate, process = block.replace("\\\n", "").splitlines()
    few = " --seeds=1 --levels=none --workers=1"
    outputs = [
        await run_here(ROOT, *shlex.split(line)[2:]) for line in (tasks, answer, validate + few)
    ]
    assert [one.code for one in outputs] == [0, 0, 0], outputs
    assert "How many visitors" in outputs[0].out and "score    0" in outputs[1].out
    assert "visitors: healthy" in outputs[2].err
    _, _, command, *words = shlex.split(process)
    request: Any = read(command, words)
    assert request.config.task_names == ["visitors"]
    assert request.config.complexity_mode == "curriculum"
