"""Run tests on a copy of the tree, each time in a forked process and within limits.

The fork has what tests/conftest.py imports from outside the tree, which takes longer to import than
most tests take to run. Every process that a trial leaves behind is adopted and killed.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HANGS = 60.0
"""Seconds of processor time after which one test hangs."""
SLEEPS = 120.0
"""Seconds without a test's end, and nearly without processor time, after which a test hangs."""
MOST_MEMORY = 10 << 30
"""Bytes that a trial may have resident; a fault may ask for any amount."""
TICK, PAGE = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")
OPTIONS = ["-q", "--no-header", "-p", "no:cacheprovider", "--tb=no"]


@dataclass(frozen=True)
class Outcome:
    """What a trial showed.

    Attributes:
        kind: `passed`, `failed`, `hangs`, `crashed` or `budget`: it was stopped before its end.
        test: the test that failed or hangs; "" if none was begun.
        cpu, wall: seconds of processor time and seconds that it took.
    """

    kind: str
    test: str
    cpu: float
    wall: float


def prepare(modules: Iterable[str]) -> None:
    """Import what the tests will need, and adopt what they leave behind."""
    os.environ.update(HF_HUB_OFFLINE="1", WANDB_MODE="disabled")
    for name in sorted(modules):
        with suppress(ImportError):  # an optional one
            importlib.import_module(name)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


def copy_tree(root: Path, target: Path) -> None:
    """Copy the files that git knows or would add; the environment is a link."""
    listing = subprocess.run(
        ["git", "ls-files", "-coz", "--exclude-standard"], cwd=root, check=True, capture_output=True
    )
    for name in listing.stdout.decode().split("\0"):
        if (root / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, target / name)
    if (root / ".venv").exists():
        (target / ".venv").symlink_to((root / ".venv").resolve())


def trial(
    tree: Path,
    tests: Sequence[str],
    *,
    without: Iterable[str] = (),
    budget: float,
    more: str = "-x",
    hangs: float = HANGS,
    plugin: object = None,
) -> Outcome:
    """Run tests in this order, until one fails.

    Args:
        budget: seconds of processor time after which no other test begins.
        hangs: seconds of processor time after which one test hangs.
    """
    scratch = tree.parent / "tmp"
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir()
    words = [*OPTIONS, more, *(f"--deselect={name}" for name in without), *tests]
    sys.stdout.flush()
    started = time.monotonic()
    pid = os.fork()
    if pid == 0:
        _run_pytest(tree, scratch, words, [plugin] if plugin else [])
    watch = _Watch(scratch / "progress", budget, hangs)
    status = None
    while status is None and watch.verdict is None:
        time.sleep(0.2)
        found, code = os.waitpid(pid, os.WNOHANG)
        watch.look()
        status = code if found else None
    _kill_all()
    kind, test = watch.verdict or _verdict(status or 0, watch)
    return Outcome(kind, test, round(watch.cpu, 1), round(time.monotonic() - started, 1))


def _verdict(status: int, watch: _Watch) -> tuple[str, str]:
    if watch.failed:
        return "failed", watch.failed
    if os.WIFEXITED(status) and os.WEXITSTATUS(status) in (0, 5):  # passed, or no test selected
        return "passed", ""
    return "crashed", watch.begun


def _run_pytest(tree: Path, scratch: Path, words: list[str], plugins: list[object]) -> None:
    code = 3
    try:
        os.setsid()
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
            Path("/proc/self/oom_score_adj").write_text("1000")
        os.environ.update(TMPDIR=str(scratch), HYPOTHESIS_STORAGE_DIRECTORY=str(scratch / "h"))
        os.chdir(tree)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        output = os.open(scratch / "output", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(output, 1)
        os.dup2(output, 2)
        here = str(Path(__file__).resolve().parent.parent)
        sys.path[:] = [str(tree), *(name for name in sys.path if name not in ("", here))]
        for name in [name for name in sys.modules if name.partition(".")[0] == "tools"]:
            del sys.modules[name]
        import pytest

        code = pytest.main(words, plugins=[*plugins, _Progress(scratch / "progress")])
    finally:
        os._exit(code)


class _Progress:
    """A plugin that notes which tests begin and fail."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("w", buffering=1)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        print("began", nodeid, file=self._file)

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            print("failed", report.nodeid, file=self._file)

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            print("failed", report.nodeid, file=self._file)


class _Watch:
    """Follows a trial; `verdict` is set if it must be stopped."""

    def __init__(self, progress: Path, budget: float, hangs: float) -> None:
        self._progress, self._budget, self._hangs = progress, budget, hangs
        self._steps = -1
        self._since = (0.0, time.monotonic())  # processor time and time of the last step
        self._last: int | None = None  # the step that was under way when the budget ended
        self.cpu = 0.0
        self.begun = self.failed = ""
        self.verdict: tuple[str, str] | None = None

    def look(self) -> None:
        cpu, memory = usage()
        self.cpu = max(self.cpu, cpu)
        lines = self._progress.read_text().splitlines() if self._progress.exists() else []
        for line in lines:
            word, _, name = line.partition(" ")
            if word == "began":
                self.begun = name
            elif not self.failed:
                self.failed = name
        if len(lines) != self._steps:
            self._steps, self._since = len(lines), (self.cpu, time.monotonic())
        used, waited = self.cpu - self._since[0], time.monotonic() - self._since[1]
        if self.cpu > self._budget and self._last is None:
            self._last = self._steps
        if used > self._hangs or (waited > SLEEPS and used < waited / 50):
            self.verdict = ("failed", self.failed) if self.failed else ("hangs", self.begun)
        elif memory > MOST_MEMORY:
            self.verdict = "crashed", self.begun
        elif self._last is not None and self._steps > self._last and not self.failed:
            self.verdict = "budget", ""


def descendants() -> dict[int, list[str]]:
    """Return the processes below this one, each with the fields of its `stat` behind its name."""
    stats: dict[int, list[str]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            stats[int(folder.name)] = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has ended
    below: set[int] = set()
    found = {os.getpid()}
    while found:
        below |= found
        found = {pid for pid, one in stats.items() if int(one[1]) in below and pid not in below}
    return {pid: stats[pid] for pid in below - {os.getpid()}}


def usage() -> tuple[float, int]:
    """Return the processor time of all descendants, in seconds, and their resident bytes."""
    stats = descendants().values()
    ticks = sum(sum(map(int, one[11:15])) for one in stats)
    return ticks / TICK, sum(int(one[21]) for one in stats) * PAGE


def _kill_all() -> None:
    while pids := descendants():
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.02)
