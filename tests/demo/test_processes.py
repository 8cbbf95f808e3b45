"""Child processes: they end with their parent's block, and their failures are reported."""

import asyncio
import signal
import sys
from pathlib import Path

import pytest

from demo.processes import Child, ChildFailed, Children
from tests.support.processes import ends_within

SLEEP = [sys.executable, "-c", "import time; print('up', flush=True); time.sleep(60)"]


async def start_child(
    children: Children, command: list[str] = SLEEP, name: str = "some child"
) -> Child:
    """Start a child and wait until it has written its first line."""
    child = await children.start(name, command)
    async with asyncio.timeout(300):
        while not child.log.read_text() and child.process.returncode is None:
            await asyncio.sleep(0.02)
    return child


async def test_leaving_the_block_stops_every_child(tmp_path: Path) -> None:
    """An exception in the block also stops every child."""
    both: list[Child] = []
    with pytest.raises(ZeroDivisionError):
        async with Children(tmp_path) as children:
            both += [await start_child(children, name=name) for name in ("one", "two")]
            raise ZeroDivisionError
    assert [child.process.returncode for child in both] == [-signal.SIGTERM] * 2


async def test_grandchildren_are_stopped(tmp_path: Path) -> None:
    """A grandchild that ignores SIGTERM is killed with its process group."""
    code = (
        "import signal as s, subprocess, sys, time; s.signal(s.SIGTERM, s.SIG_IGN);"
        "p = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']);"
        "s.signal(s.SIGTERM, s.SIG_DFL); print(p.pid, flush=True); time.sleep(60)"
    )
    async with Children(tmp_path) as children:
        child = await start_child(children, [sys.executable, "-c", code])
    assert ends_within(int(child.log.read_text()), seconds=20)


async def test_an_impatient_end_leaves_no_child(tmp_path: Path) -> None:
    """Cancelling the end of the block kills children that do not react to SIGTERM."""
    code = (
        "import signal as s, time; s.signal(s.SIGTERM, s.SIG_IGN);"
        "print('up', flush=True); time.sleep(60)"
    )
    children = Children(tmp_path)
    both = [
        await start_child(children, [sys.executable, "-c", code], name) for name in ("one", "two")
    ]
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(children.close(), 0.3)
    async with asyncio.timeout(300):
        assert [await child.process.wait() for child in both] == [-signal.SIGKILL] * 2


async def test_a_stopped_child_is_no_longer_needed(tmp_path: Path) -> None:
    """Work goes on when a child is stopped on purpose."""
    async with Children(tmp_path) as children:
        child = await start_child(children)
        await children.stop(child)
        assert child.process.returncode == -signal.SIGTERM
        assert await children.while_alive(asyncio.sleep(0, "done")) == "done"


class TestWhileAlive:
    async def test_a_death_ends_the_work(self, tmp_path: Path) -> None:
        """The error names the dead child and quotes the last lines of its log."""
        code = "print('first'); print('out of luck', flush=True); raise SystemExit(3)"
        async with Children(tmp_path) as children:
            await children.start("unlucky child", [sys.executable, "-c", code])
            with pytest.raises(
                ChildFailed, match=r"(?s)unlucky child ended with exit code 3.*luck"
            ):
                await children.while_alive(asyncio.sleep(60))

    async def test_a_death_explains_failed_work(self, tmp_path: Path) -> None:
        """Work that fails because a child is dying raises the death."""
        async with Children(tmp_path) as children:
            child = await start_child(children)

            async def fail() -> None:
                child.signal(signal.SIGKILL)
                raise ConnectionError

            with pytest.raises(ChildFailed, match="some child ended with exit code -9"):
                await children.while_alive(fail())

    async def test_failed_work_raises_its_own_error(self, tmp_path: Path) -> None:
        """While all children live, an error of the work is raised as it is."""

        async def fail() -> None:
            raise ConnectionError

        async with Children(tmp_path) as children:
            await start_child(children)
            with pytest.raises(ConnectionError):
                await children.while_alive(fail())

    async def test_finished_work_gives_its_result(self, tmp_path: Path) -> None:
        """While all children live, the result of the work is returned."""
        async with Children(tmp_path) as children:
            await start_child(children)
            assert await children.while_alive(asyncio.sleep(0, "done")) == "done"


class TestRun:
    async def test_a_program_runs_to_its_end(self, tmp_path: Path) -> None:
        """A program that exits with 0 leaves its output in its log."""
        async with Children(tmp_path) as children:
            await children.run("short program", [sys.executable, "-c", "print(42)"], timeout=60)
            assert children.running == []
        assert (tmp_path / "short_program.log").read_text() == "42\n"

    async def test_a_failing_program_is_an_error(self, tmp_path: Path) -> None:
        """Another exit code than 0 is reported with the end of the log."""
        async with Children(tmp_path) as children:
            with pytest.raises(ChildFailed, match=r"(?s)program ended with exit code 1.*no luck"):
                code = "raise SystemExit('no luck')"
                await children.run("program", [sys.executable, "-c", code], timeout=60)

    async def test_a_slow_program_is_stopped(self, tmp_path: Path) -> None:
        """A program that exceeds its time is stopped and reported."""
        async with Children(tmp_path) as children:
            with pytest.raises(ChildFailed, match=r"program did not end within 0\.2 s"):
                await children.run("program", SLEEP, timeout=0.2)
            assert children.running == []
