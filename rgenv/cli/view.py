"""The command `view`: a run or an evaluation as one HTML page, or two of them side by side."""

import argparse
from collections.abc import Sequence

from rgenv.cli.parser import CommandParser, named_path, positive, require_existing, require_output
from rgenv.errors import DONE, BadUsage
from rgenv.export.sink import require_writable
from rgenv.pages.folder import MOST, Folder
from rgenv.runtime.progress import Progress
from rgenv.text import file_size

PAGE, BESIDE = "view.html", "compare.html"
"""The pages of one folder and of two."""


def main(words: Sequence[str]) -> int:
    """Run the command, and return 0."""
    options = _parse(words)
    folder = Folder(options.paths, most=options.most)
    with Progress("Reading", unit="lines", brief=True) as progress:
        folder.read(progress.advance)
    names = " and ".join(map(str, options.paths))
    if not folder.lines:
        raise BadUsage(
            f"{names}: here are no groups, samples or metrics. Name a folder that `serve`, "
            "`process` or `evaluate` wrote; `serve` saves rollouts only with dump_rollouts."
        )
    if not folder.summary:
        raise BadUsage(f"{names} have no problem in common, and no task at the same level.")
    size = file_size(folder.write(options.output))
    print(f"{folder.summary} in {options.output} ({size}); open it in a browser.", flush=True)
    return DONE


def _parse(words: Sequence[str]) -> argparse.Namespace:
    parser = CommandParser(
        "view", "Show a run or an evaluation in one HTML page, or two of them side by side."
    )
    add = parser.add_argument
    add(
        "paths",
        nargs="+",
        type=named_path,
        metavar="FOLDER",
        help="a folder with saved rollouts, groups of `process`, samples of an evaluation or "
        "metrics.jsonl, at any depth; or one such file. Of two, the same problems stand beside "
        "each other",
    )
    add(
        "--output",
        type=named_path,
        metavar="FILE",
        help=f"the page; default: {PAGE} in the folder, or {BESIDE} in the first of two",
    )
    add(
        "--most",
        type=positive,
        default=MOST,
        metavar="N",
        help="groups whose texts are in the page; of more, a sample; default: %(default)s",
    )
    options = parser.read(words)
    if len(options.paths) > 2:
        raise BadUsage("view shows one folder, or two side by side: name the folder above them.")
    require_existing(options.paths)
    if options.output is None:
        first = options.paths[0]
        options.output = first if first.is_dir() else first.parent
    if options.output.is_dir():
        options.output /= PAGE if len(options.paths) == 1 else BESIDE
    require_output(options.output, [".html"])  # it replaces the file, which may be one of the run
    require_writable(options.output.parent, ".html")
    return options
