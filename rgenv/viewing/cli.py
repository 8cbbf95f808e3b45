"""The command `view`: write what a run saved as one HTML page."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from rgenv.cli.parser import CommandParser, command, positive
from rgenv.errors import DONE, BadUsage
from rgenv.runtime.progress import Progress
from rgenv.viewing.folder import MOST, Folder

PAGE = "view.html"


@command("view")
def main(words: list[str]) -> int:
    """Run the command; return 0 (done), 1 (the disk refuses) or 2 (bad usage)."""
    options = _parse(words)
    folder = Folder(options.paths, most=options.most)
    with Progress("Reading", unit="lines", brief=True) as progress:
        folder.read(progress.advance)
    if not folder.lines:
        raise BadUsage(_nothing(options.paths))
    size = folder.write(options.output) / 1e6
    print(
        f"{folder.summary} in {options.output} ({size:.1f} MB); open it in a browser.", flush=True
    )
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
    options = parser.parse_args(words)
    for path in options.paths:
        if not path.exists():
            raise BadUsage(f"{path} does not exist: name the folder of a run, or a file.")
    if options.output is None:
        first = options.paths[0]
        options.output = (first if first.is_dir() else first.parent) / PAGE
    if options.output.is_dir():
        options.output /= PAGE
    if options.output.suffix != ".html":  # it replaces the file, which may be one of the run
        raise BadUsage(f"--output: {options.output}: name a file that ends with .html.")
    if not options.output.parent.is_dir():
        raise BadUsage(f"--output: {options.output.parent} is not a folder: create it first.")
    return options


def _nothing(paths: Sequence[Path]) -> str:
    names = ", ".join(str(path) for path in paths)
    return (
        f"{names}: here are no groups, samples or metrics. Name a folder that `serve`, `process` "
        "or `evaluate` wrote; `serve` saves rollouts only with dump_rollouts."
    )
