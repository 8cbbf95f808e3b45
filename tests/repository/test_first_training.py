"""The starts of README.md and docs/first_training.md run as they stand, on stand-ins."""

import json
import os
import re
import shlex
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from demo.processes import Child, Children, free_port
from reasoning_gym_environment import ReasoningGymEnv
from tests.support.commands import exit_code, log_of
from tests.support.paths import ROOT
from tests.support.polling import until

PAGE = (ROOT / "docs" / "first_training.md").read_text(encoding="utf-8")
STAND_INS = PAGE.partition("\n## On the stand-ins\n")[2].partition("\n## ")[0]
TERMINALS = re.findall(
    r"^### Terminal \d: .*?```bash\n(.*?)```.*?```text\n(.*?)```",
    STAND_INS,
    re.DOTALL | re.MULTILINE,
)
"""Commands, each with the lines that it prints when it is well."""


def pattern(line: str) -> re.Pattern[str]:
    """Return a pattern of a line of the page: any number for a number, anything for ``…``."""
    escaped = re.escape(line.strip()).replace("…", ".*")
    return re.compile(re.sub(r"\d+(\\\.\d+)*", r"[\\d.]+", escaped))


def missing(printed: str, lines: Sequence[str]) -> list[str]:
    rest = list(lines)
    for line in printed.splitlines():
        if rest and pattern(rest[0]).search(line):
            del rest[0]
    return rest


async def opened(children: Children, command: str, checkout: Path, number: int) -> Child:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    shell = f"unset HF_HUB_OFFLINE WANDB_MODE PYTHONPATH\ncd {checkout}\n{command}"
    return await children.start(f"terminal {number}", ["bash", "-c", shell], {"PATH": path})


async def shown(child: Child, lines: Sequence[str]) -> None:
    await until(lambda: not missing(log_of(child), lines))


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for name in ("demo", "rgenv", "reasoning_gym_environment.py"):
        (tmp_path / name).symlink_to(ROOT / name)
    return tmp_path


@pytest.mark.soak
async def test_four_terminals_lead_to_a_running_loop(checkout: Path) -> None:
    ports = {"8000": str(free_port()), "9004": str(free_port())}

    def here(text: str) -> str:
        return re.sub("|".join(ports), lambda found: ports[found[0]], text)

    async with Children(logs=checkout) as children:
        assert len(TERMINALS) == 4
        for number, (command, lines) in enumerate(TERMINALS, start=1):
            child = await opened(children, here(command), checkout, number)
            await children.while_alive(shown(child, lines.splitlines()[:1]))
        api, policy, trainer, environment = children.running
        for child, (_, lines) in zip(children.running, TERMINALS, strict=True):
            await children.while_alive(shown(child, lines.splitlines()))

        [ends] = re.findall(r"^### The end\n.*?```text\n(.*?)```", STAND_INS, re.DOTALL | re.M)
        for ending, line in zip((trainer, environment), ends.splitlines(), strict=True):
            assert await exit_code(ending) == 0, log_of(ending)
            assert not missing(log_of(ending), [line]), log_of(ending)
        policy.signal(signal.SIGINT)
        assert await exit_code(policy) == 128 + signal.SIGINT
        api.signal(signal.SIGINT)
        await exit_code(api)

    written = {path.name for path in (checkout / "first_output").rglob("*.jsonl")}
    assert "metrics.jsonl" in written
    assert (checkout / "first_output/checkpoints/env_checkpoints/first_replica0of1").is_dir()


README = (ROOT / "README.md").read_text(encoding="utf-8")
STARTS = README.partition("\n## Three starts\n")[2].partition("\n## ")[0]
CHAT, VLLM, SERVER, BOTH = re.findall(r"```bash\n(.*?)```", STARTS, re.DOTALL)
"""A chat endpoint, vLLM, the stand-in, and two commands that ask it."""


@pytest.mark.soak
async def test_the_starts_run_as_they_stand(checkout: Path) -> None:
    port = str(free_port())
    stand_in = f"http://localhost:{port}/v1"
    chat = CHAT.replace("https://HOST/v1", stand_in).replace("MODEL", "stand-in")
    # The same words as for the stand-in, but for tokenizer and token limit.
    vllm = shlex.split(VLLM.replace("\\\n", " "))
    nothing = shlex.split(BOTH.replace("\\\n", " "))
    assert {word for word in vllm if word.startswith("--")} <= set(nothing)
    async with Children(logs=checkout) as children:
        server = await opened(children, SERVER.replace("9004", port), checkout, 0)
        await children.while_alive(until(lambda: "port" in log_of(server)))
        for number, commands in enumerate((chat, BOTH.replace("9004", port)), 1):
            child = await opened(children, f"set -e\n{commands}", checkout, number)
            assert await exit_code(child) == 0, log_of(child)
            assert "report.html" in log_of(child)
    groups = (checkout / "groups.jsonl").read_text().splitlines()
    assert len(groups) == 50 and len(json.loads(groups[0])["scores"]) == 8


@pytest.mark.slow
def test_the_real_trainer_takes_the_options_of_the_page() -> None:
    """Its batch is a multiple of group_size, and its limit is above max_token_length."""
    pytest.importorskip("torch", reason="the trainer needs requirements-learn.txt")
    from example_trainer.cli import create_full_parser

    real = PAGE.partition("\n## On a real model\n")[2].replace("\\\n", " ")
    [words] = re.findall(r"-m example_trainer\.grpo (.*)", real)
    trainer = create_full_parser().parse_args(shlex.split(words))
    [limit] = re.findall(r"--env\.max_token_length (\d+)", real)
    group_size = ReasoningGymEnv.config_init()[0].group_size
    assert trainer.batch_size * trainer.gradient_accumulation_steps % group_size == 0
    assert trainer.seq_len > int(limit)
    assert f"--port {trainer.vllm_port}" in real and f"localhost:{trainer.vllm_port}/v1" in real
