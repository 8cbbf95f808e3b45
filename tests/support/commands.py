"""Run the commands of the environment as users do, over a stand-in inference server."""

import asyncio
import contextlib
import io
import logging
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from demo.launch import environment_command
from demo.processes import OFFLINE, Child, Children
from reasoning_gym_environment import main
from tests.support.dumps import rows

GROUP_SIZE, BATCH_SIZE, MAX_TOKEN_LENGTH = 4, 16, 2048

TIMEOUT = 300.0
"""Seconds after which a command counts as hung."""


class Ended(NamedTuple):
    """How a command ended: its exit code, and what it printed."""

    code: int
    out: str
    err: str


async def run_here(folder: Path, *words: str) -> Ended:
    """Run a command in `folder` until it ends, in a thread of this process.

    A process of its own would first spend seconds of processor time on imports. It is needed only
    where a test is about signals, a killed process, or variables of the environment.
    """
    out, err, log = io.StringIO(), io.StringIO(), _ToStderr()
    logging.getLogger().addHandler(log)
    try:
        with (
            contextlib.chdir(folder),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            async with asyncio.timeout(TIMEOUT):
                code = await asyncio.to_thread(main, words)
    finally:
        logging.getLogger().removeHandler(log)
    return Ended(code, out.getvalue(), err.getvalue())


class _ToStderr(logging.Handler):
    """Prints to what is stderr now, which hides secrets while a command runs."""

    def emit(self, record: logging.LogRecord) -> None:
        print(self.format(record), file=sys.stderr)


@dataclass
class Commands:
    """Starts commands with small settings.

    Attributes:
        folder: everything that a command writes, its log included.
        inference_url: the address of the inference server, without path.
        options: those of the environment that all commands get, without their prefix ``env.``.
    """

    children: Children
    folder: Path
    tokenizer_dir: Path
    inference_url: str
    options: dict[str, Any] = field(default_factory=dict)

    async def start(self, command: str, **options: Any) -> Child:
        line = environment_command(command, self.settings(options))
        variables = OFFLINE | {"PYTHONPATH": str(Path.cwd())}
        return await self.children.start("environment", line, variables)

    async def run_here(self, command: str, **options: Any) -> Ended:
        """Run a command as `start` does, but in this process; write its output into the folder."""
        settings = self.settings(options)
        pairs = [f"--{name}={value}" for name, value in settings.items()]
        ended = await run_here(self.folder, command, *pairs)
        (self.folder / "output.log").write_text(ended.out + ended.err)
        return ended

    def settings(self, options: dict[str, Any]) -> dict[str, object]:
        defaults = {
            "env.tokenizer_name": self.tokenizer_dir,
            "env.use_wandb": "false",
            "env.wandb_name": "test",
            "env.task_names": "chain_sum,gcd",
            "env.group_size": GROUP_SIZE,
            "env.batch_size": BATCH_SIZE,
            "env.max_token_length": MAX_TOKEN_LENGTH,
            "env.num_eval_samples_per_task": 1,
            "env.data_dumps_dir": self.folder / "dumps",
            "env.scoring_workers": 1,
            "env.startup_timeout": 60,
            "openai.base_url": f"{self.inference_url}/v1",
            "openai.model_name": "stand-in",
        }
        given = (self.options | options).items()
        return defaults | {name if "." in name else f"env.{name}": value for name, value in given}

    def dumped(self) -> list[dict[str, Any]]:
        return [row for path in (self.folder / "dumps").glob("*.jsonl") for row in rows(path)]


def log_of(child: Child) -> str:
    return child.log.read_text(errors="replace")


async def exit_code(child: Child, *, timeout: float = TIMEOUT) -> int:
    async with asyncio.timeout(timeout):
        return await child.process.wait()
