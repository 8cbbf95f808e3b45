"""docs/first_training.md, followed in four terminals: each prints what the page says."""

import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from demo.processes import free_port
from reasoning_gym_environment import ReasoningGymEnv
from tests.support.paths import ROOT

PAGE = (ROOT / "docs" / "first_training.md").read_text(encoding="utf-8")
STAND_INS = PAGE.partition("\n## On the stand-ins\n")[2].partition("\n## ")[0]
TERMINALS = re.findall(
    r"^### Terminal \d: .*?```bash\n(.*?)```.*?```text\n(.*?)```",
    STAND_INS,
    re.DOTALL | re.MULTILINE,
)
"""Commands, each with the lines that it prints when it is well."""

RUNNING_SECONDS = 300.0
END_SECONDS = 300.0


def pattern(line: str) -> re.Pattern[str]:
    """Return a pattern of a line of the page: any number for a number, anything for ``…``."""
    escaped = re.escape(line.strip()).replace("…", ".*")
    return re.compile(re.sub(r"\d+(\\\.\d+)*", r"[\\d.]+", escaped))


def missing(printed: str, lines: Sequence[str]) -> list[str]:
    """Return the lines of the page that were not printed, in this order."""
    rest = list(lines)
    for line in printed.splitlines():
        if rest and pattern(rest[0]).search(line):
            del rest[0]
    return rest


class Terminal:
    """A shell in which one command runs."""

    def __init__(self, process: subprocess.Popen[bytes], log: Path) -> None:
        self.process, self.log = process, log

    def printed(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")

    def wait_for(self, lines: Sequence[str], deadline: float) -> None:
        while rest := missing(self.printed(), lines):
            assert self.process.poll() is None, self.printed()
            assert time.monotonic() < deadline, f"{rest[0]!r} is missing:\n{self.printed()}"
            time.sleep(0.2)

    def press_ctrl_c(self) -> int:
        os.killpg(self.process.pid, signal.SIGINT)
        return self.process.wait(timeout=END_SECONDS)


@contextmanager
def terminal(command: str, checkout: Path, number: int) -> Iterator[Terminal]:
    """Run a command in a shell with the active virtual environment; kill what is left of it."""
    bin_folder = Path(sys.executable).parent
    own = {"HF_HUB_OFFLINE", "WANDB_MODE", "PYTHONPATH"}  # a newcomer's shell has none of them
    environment = {name: value for name, value in os.environ.items() if name not in own}
    log = checkout / f"terminal-{number}.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            ["bash", "-c", command],
            cwd=checkout,
            env=environment | {"PATH": f"{bin_folder}{os.pathsep}{environment['PATH']}"},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield Terminal(process, log)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout whose outputs are in a temporary folder."""
    for name in ("demo", "rgenv", "reasoning_gym_environment.py"):
        (tmp_path / name).symlink_to(ROOT / name)
    return tmp_path


@pytest.mark.soak
def test_four_terminals_lead_to_a_running_loop(checkout: Path) -> None:
    """There are steps; after the last one trainer and environment end well."""
    ports = {"8000": str(free_port()), "9004": str(free_port())}

    def here(text: str) -> str:
        return re.sub("|".join(ports), lambda found: ports[found[0]], text)

    begin = time.monotonic()
    with ExitStack() as stack:
        open_terminals: list[Terminal] = []
        assert len(TERMINALS) == 4
        for number, (command, lines) in enumerate(TERMINALS, start=1):
            opened = stack.enter_context(terminal(here(command), checkout, number))
            opened.wait_for(lines.splitlines(), begin + RUNNING_SECONDS)
            open_terminals.append(opened)
        api, policy, trainer, environment = open_terminals

        [ends] = re.findall(r"^### The end\n.*?```text\n(.*?)```", STAND_INS, re.DOTALL | re.M)
        for ending, line in zip((trainer, environment), ends.splitlines(), strict=True):
            assert ending.process.wait(timeout=END_SECONDS) == 0, ending.printed()
            assert not missing(ending.printed(), [line]), ending.printed()
        assert policy.press_ctrl_c() == 128 + signal.SIGINT
        api.press_ctrl_c()

    written = {path.name for path in (checkout / "first_output").rglob("*.jsonl")}
    assert {"metrics.jsonl", "progress.jsonl"} < written
    assert (checkout / "first_output/checkpoints/env_checkpoints/first_replica0of1").is_dir()


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
