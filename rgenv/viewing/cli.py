"""The command `view`: write what a run saved as one HTML page.

::

    main(["demo_output"])                     # 0; the page is demo_output/view.html
    main(["demo_output", "--watch"])          # writes it again until a signal ends it
"""

import argparse
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from rgenv.cli.parser import CommandParser, command, positive
from rgenv.errors import DONE, BadUsage
from rgenv.runtime.progress import Progress
from rgenv.runtime.signals import end_now, handled_by
from rgenv.viewing.folder import MOST, Folder

PAGE = "view.html"

POLL_SECONDS = 1.0
RELOAD_SECONDS = 10
"""A page that is written again loads itself again after so many seconds."""

SHARE_OF_TIME = 0.1
"""The largest share of its time that `--watch` spends on writing the page."""


@command("view")
def main(words: list[str]) -> int:
    """Run the command; return 0 (done), 1 (the disk refuses), 2 (bad usage), or 130 or 143."""
    options = _parse(words)
    folder = Folder(options.paths, most=options.most)
    if options.watch:
        return _Watch(folder, options.output).run()
    _read(folder)
    if not folder.lines:
        raise BadUsage(f"{_nothing(options.paths)}")
    _report(folder, options.output, folder.write(options.output))
    return DONE


def _parse(words: Sequence[str]) -> argparse.Namespace:
    parser = CommandParser("view", "Show the groups and the curves of a run in one HTML page.")
    add = parser.add_argument
    add(
        "paths",
        nargs="+",
        type=Path,
        metavar="FOLDER",
        help="a folder with saved rollouts, groups of `process`, samples of an evaluation or "
        "metrics.jsonl, at any depth; or one such file",
    )
    add(
        "--output",
        type=Path,
        metavar="FILE",
        help=f"the page; default: {PAGE} in the first folder",
    )
    add(
        "--most",
        type=positive,
        default=MOST,
        metavar="N",
        help="groups whose texts are in the page; of more, a sample; default: %(default)s",
    )
    add(
        "--watch",
        action="store_true",
        help="write the page again as the run goes on, until a signal; an open page follows",
    )
    options = parser.parse_args(words)
    for path in options.paths:
        if not path.exists():
            raise BadUsage(f"{path} does not exist: name the folder of a run, or a file.")
    if options.output is None:
        first = options.paths[0]
        options.output = (first if first.is_dir() else first.parent) / PAGE
    if options.output.is_dir():
        options.output /= PAGE
    if not options.output.parent.is_dir():
        raise BadUsage(f"--output: {options.output.parent} is not a folder: create it first.")
    if any(options.output.resolve() == path.resolve() for path in options.paths):
        raise BadUsage(f"--output: {options.output} is a file of the run: name another.")
    return options


def _nothing(paths: Sequence[Path]) -> str:
    names = ", ".join(str(path) for path in paths)
    return (
        f"{names}: here are no groups, samples or metrics. Name a folder that `serve`, `process` "
        "or `evaluate` wrote; `serve` saves rollouts only with dump_rollouts."
    )


def _read(folder: Folder) -> None:
    with Progress("Reading", unit="lines", brief=True) as progress:
        folder.read(advance=progress.advance)


def _report(folder: Folder, output: Path, size: int) -> None:
    print(f"{folder.summary} in {output} ({size / 1e6:.1f} MB); open it in a browser.", flush=True)


class _Ended(Exception):
    """A signal came."""


class _Watch:
    """Writes the page of a run whenever its files have grown, until a signal.

    The last page does not load itself again.
    """

    def __init__(self, folder: Folder, output: Path) -> None:
        self._folder, self._output = folder, output
        self._signal = 0

    def run(self) -> int:
        """Watch until a signal, and return its exit code."""
        with handled_by(self._handle):
            try:
                while not self._signal:
                    self._cycle()
            except _Ended:
                pass
            if self._folder.lines:
                self._write(reload_seconds=0)
        print(f"Ended: signal {signal.Signals(self._signal).name}.", file=sys.stderr)
        return 128 + self._signal

    def _handle(self, number: int) -> None:
        if self._signal:
            end_now(number, "a second signal")
        self._signal = number

    def _cycle(self) -> None:
        """Read what is new, write the page if there is any, and wait."""
        before = self._folder.lines
        self._folder.read(last=False, advance=self._stop_if_signalled)
        wait = POLL_SECONDS
        if self._folder.lines > before:
            began = time.monotonic()
            self._write(reload_seconds=RELOAD_SECONDS)
            wait = max(wait, (time.monotonic() - began) / SHARE_OF_TIME)
        elif not self._folder.lines:
            self._say_once("Waiting for groups, samples or metrics.")
        until = time.monotonic() + wait
        while not self._signal and time.monotonic() < until:
            time.sleep(0.1)

    _said = ""

    def _say_once(self, line: str) -> None:
        if line != self._said:
            print(line, file=sys.stderr, flush=True)
        self._said = line

    def _stop_if_signalled(self) -> None:
        if self._signal:
            raise _Ended

    def _write(self, *, reload_seconds: int) -> None:
        size = self._folder.write(self._output, reload_seconds=reload_seconds)
        _report(self._folder, self._output, size)
