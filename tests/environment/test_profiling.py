"""reasoning_gym_environment.py: `profile`, over a stand-in with planted tasks."""

import json
import os
import signal
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from demo.policy import Completion, Policy, user_message
from demo.policy_server import start as start_policy_server
from demo.processes import Child, Children
from demo.rules import RULES
from rgenv.atropos.command_line import read as read_words
from rgenv.evaluation.sample_log import read
from tests.support.commands import Commands, exit_code

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("ready_workers")]

TOKENS = 1024
"""The fewer a completion may have, the sooner one that is too long is written."""

Faultless = partial(Policy, error_rate=0.0, format_error_rate=0.0, overlong_rate=0.0)


class Guessing(Policy):
    def complete(self, prompt_text: str, n: int, max_tokens: int) -> list[Completion]:
        return [Completion("<answer>Yes</answer>", "stop")] * n


PLANTED: Mapping[str, tuple[str, Policy]] = {
    "gcd": ("mastered", Faultless()),
    "lcm": ("dead", Faultless(error_rate=1.0)),
    "chain_sum": ("learnable", Faultless(error_rate=0.5)),
    "syllogism": ("guessable", Guessing()),
    "spell_backward": ("broken format", Faultless(format_error_rate=1.0)),
    "number_sorting": ("too long", Faultless(overlong_rate=1.0)),
}
"""Task -> what it is called, because of what the policy writes."""

CLASSES = {task: name for task, (name, _) in PLANTED.items()}


class Planted:
    """A policy for `demo.policy_server`. Its request number 40 kills `child`."""

    child: Child
    asked = 0

    def complete(self, prompt_text: str, n: int, max_tokens: int) -> list[Completion]:
        """Write `n` completions for the task of a prompt; the one without rules is syllogism."""
        if max_tokens > 16:  # fewer are asked for to try a server
            self.asked += 1
            if self.asked == 40:
                os.kill(self.child.process.pid, signal.SIGKILL)
        question = user_message(prompt_text)
        tasks = (rule.task for rule in RULES if rule.pattern.search(question))
        _, policy = PLANTED[next(tasks, "syllogism")]
        return policy.complete(prompt_text, n, max_tokens)


async def test_a_profile_finds_each_planted_class_and_survives_kill_9(
    tokenizer: Any, tokenizer_dir: Path, tmp_path: Path
) -> None:
    policy = Planted()
    server = await start_policy_server(policy, tokenizer)
    async with Children(logs=tmp_path) as children:
        commands = Commands(children, tmp_path, tokenizer_dir, f"http://127.0.0.1:{server.port}")
        folder = tmp_path / "profile"
        options = {
            "task_names": ",".join(CLASSES),
            "group_size": 8,
            "max_token_length": TOKENS,
            "profile_levels": "0,1",
            "profile_completions": 16,
            "profile_dir": folder,
            "openai.num_requests_for_eval": 8,
        }
        policy.child = await commands.start("profile", **options)
        assert await exit_code(policy.child) == -signal.SIGKILL
        kept = len(read(folder / "samples.jsonl"))
        asked = policy.asked
        again = await commands.run_here("profile", **options)
        assert again.code == 0, again.err
        samples = read(folder / "samples.jsonl")
        assert len({sample["id"] for sample in samples}) == len(samples)
        assert len(samples) == 16 * 2 * len(CLASSES)
        assert policy.asked - asked <= len(samples) - kept  # some prompts leave no room
        assert 0 < kept <= asked <= 50
        other = await commands.run_here("profile", **options | {"openai.model_name": "other"})
    await server.close()
    assert other.code == 2 and "holds another profile (model differ" in other.err
    assert "--env.profile_dir" in other.err and "Traceback" not in other.err
    content = json.loads((folder / "profile.json").read_text())
    assert {task: row["verdict"] for task, row in content["tasks"].items()} == CLASSES
    assert content["tokens_used"] > 0
    about = json.loads((folder / "evaluation.json").read_text())
    assert (about["temperature"], about["max_tokens"]) == (1.0, TOKENS), "as in training"
    assert "1 learnable, 1 mastered, 1 dead, 1 guessable, 1 broken format, 1 too long." in again.out
    assert f"serve --config {folder / 'profile.yaml'}" in again.out
    request: Any = read_words("serve", ["--config", str(folder / "profile.yaml")])
    config = request.config
    assert config.task_names == ["chain_sum"] and config.start_levels.keys() == {"chain_sum"}
    assert [server.model_name for server in request.servers] == ["stand-in"]
