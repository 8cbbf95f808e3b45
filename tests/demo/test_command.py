"""The frame of a program: exit codes and child processes."""

import argparse
import asyncio
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from demo.command import RunFailed, positive, run_command
from demo.processes import Child, Children
from demo.trainer import TrainerError
from rgenv.errors import BAD_USAGE, DONE, FAILED, BadUsage

SLEEP = [sys.executable, "-c", "import time; time.sleep(60)"]


def test_work_that_ends_is_done(tmp_path: Path) -> None:
    """The exit code is 0, and children that still run are stopped."""
    started: list[Child] = []

    async def work(children: Children) -> None:
        started.append(await children.start("child", SLEEP))

    assert run_command(work, logs=tmp_path / "new") == DONE
    assert started[0].process.returncode == -signal.SIGTERM
    assert (tmp_path / "new" / "child.log").exists()


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (RunFailed("no luck"), FAILED),
        (TrainerError("no luck"), FAILED),
        (OSError("no luck"), FAILED),
        (BadUsage("no luck"), BAD_USAGE),
    ],
)
def test_a_failure_is_one_sentence(
    error: Exception, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A failure is printed without a traceback; bad usage has an exit code of its own."""

    async def work(children: Children) -> None:
        raise error

    assert run_command(work, logs=tmp_path) == code
    assert capsys.readouterr().err == "Failed: no luck\n"


def test_a_dead_child_is_a_failure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The exit code is 1 and the child is named."""

    async def work(children: Children) -> None:
        await children.start("unlucky child", [sys.executable, "-c", "raise SystemExit(3)"])
        await children.while_alive(asyncio.sleep(60))

    assert run_command(work, logs=tmp_path) == FAILED
    assert "unlucky child ended with exit code 3" in capsys.readouterr().err


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_the_children(number: signal.Signals, tmp_path: Path) -> None:
    """The exit code is 128 plus the number of the signal."""
    started: list[Child] = []

    async def work(children: Children) -> None:
        started.append(await children.start("child", SLEEP))
        os.kill(os.getpid(), number)
        await asyncio.sleep(60)

    with pytest.raises(SystemExit) as end:
        run_command(work, logs=tmp_path)
    assert end.value.code == 128 + number
    assert started[0].process.returncode == -signal.SIGTERM


@pytest.mark.parametrize(("parse", "text"), [(positive, "0"), (positive, "-1")])
def test_a_count_is_at_least_one(parse: Callable[[str], int], text: str) -> None:
    """Zero and negative numbers are refused."""
    assert parse("1") == 1
    with pytest.raises(argparse.ArgumentTypeError, match="at least 1"):
        parse(text)
