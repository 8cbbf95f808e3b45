"""New problems as a data set: files of problems for training and of held-out ones, and a card.

Problem number n depends on the settings and on n alone, so any part of a data set can be made
anywhere, in any order, and again. None of those for training is held out. Small tasks may ask the
same question under two numbers.
"""

import contextlib
import functools
import itertools
import json
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rgenv.errors import BadUsage
from rgenv.evaluation.identity import scoring_version
from rgenv.export.columns import EXAMPLE, Row, card, problem_row
from rgenv.export.sink import ENDINGS, count_rows, sink
from rgenv.gym.gym import Gym
from rgenv.runtime.files import write_atomic
from rgenv.runtime.parts import in_order
from rgenv.runtime.progress import Progress
from rgenv.stream.source import try_to_make
from rgenv.stream.stream import MAX_ATTEMPTS, Stream
from rgenv.types import Problem

Numbered = tuple[int, Problem]
NumberedRows = AsyncGenerator[tuple[int, Row], None]

SPLITS = TRAIN, HELD_OUT = "train", "held_out"

ROWS_IN_A_FILE = 10_000
"""Rows of a file. A repeated command keeps the files before the first missing one."""

HELD_OUT_LEVELS = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Levels of held-out problems where the levels of training are random."""

CARD, NOTE = "README.md", "rgenv.json"
"""The card, and what decides the content of the data set."""

UNDER_WAY = 64
"""Problems that are made at the same time. More would only wait for workers."""


@dataclass(frozen=True)
class ProblemSet:
    """A data set; the fields are what decides it, beside the tasks.

    Attributes:
        problems: how many for training.
        source: ``library`` or ``hardened``.
        levels: one of them for each problem, None for default parameters; empty: random ones.
        held_out: held-out problems of each task at each level.
        split: which of `SPLITS` are written.
        to, columns: the ending of the files, without its dot, and the convention of the columns.
    """

    problems: int
    source: str
    levels: tuple[float | None, ...]
    seed: int
    held_out: int
    split: list[str]
    to: str
    columns: str

    def begin(self, folder: Path, gym: Gym, *, force: bool) -> None:
        """Keep the files of a data set of the same settings, and remove those of others.

        Raises:
            BadUsage: the folder has another data set, and `force` is not set.
        """
        settings = {
            **asdict(self),
            "sources": {task: gym.pool.coverage.source(task) for task in gym.task_names},
            "code": scoring_version(),
        }
        written, note = json.dumps(settings).encode() + b"\n", folder / NOTE
        found = [path for path in folder.glob("data/*") if path.suffix in ENDINGS]
        if not note.exists() or note.read_bytes() != written:
            if not force and (found or note.exists() or (folder / CARD).exists()):
                raise BadUsage(
                    f"{folder} has a {CARD} or a data set of other settings or of another "
                    "version: add --force to replace it, or name another folder."
                )
            for path in found:
                path.unlink()
            write_atomic(note, written)
        for torn in folder.glob("data/*.tmp"):  # of a killed command
            torn.unlink()

    async def write_train(self, folder: Path, make: Callable[[range], NumberedRows]) -> int:
        """Write the files of problems for training that follow the complete ones; count all rows.

        Args:
            make: yields the rows of the problems with some numbers, in order.
        """
        total, size = self.problems, ROWS_IN_A_FILE
        parts = [range(total)[first : first + size] for first in range(0, total, size)]
        files = [(self._path(folder, TRAIN, n, len(parts)), part) for n, part in enumerate(parts)]
        complete = [path for path, _ in itertools.takewhile(lambda file: file[0].exists(), files)]
        rows, done = sum(map(count_rows, complete)), min(total, size * len(complete))
        if done == total:
            return rows
        example = problem_row(self.columns, EXAMPLE, TRAIN, 0)
        with Progress("Making", total=total, unit="problems", initial=done, brief=True) as shown:
            async with contextlib.aclosing(make(range(done, total))) as made:
                found = await anext(made, None)
                for path, part in files[len(complete) :]:
                    with sink(path, example) as write:
                        while found is not None and found[0] in part:
                            write(found[1])
                            rows += 1
                            shown.advance(found[0] + 1 - done)
                            done = found[0] + 1
                            found = await anext(made, None)
        return rows

    async def make_rows(self, gym: Gym, numbers: range) -> NumberedRows:
        """Make rows for training in the workers of a gym."""
        async with contextlib.aclosing(make_numbered(gym, self.levels, numbers)) as made:
            async for n, problem in made:
                yield n, problem_row(self.columns, problem, TRAIN, n)

    async def write_held_out(self, folder: Path, gym: Gym) -> int:
        """Write the file of held-out problems, and return how many it has."""
        sets = gym.evaluation_set(self.held_out, self.levels or HELD_OUT_LEVELS)
        problems = await sets.of_tasks(gym.task_names)
        new_row = functools.partial(problem_row, self.columns)
        path = self._path(folder, HELD_OUT, 0, 1)
        with sink(path, new_row(EXAMPLE, HELD_OUT, 0)) as write:
            for n, problem in enumerate(problems):
                write(new_row(problem, HELD_OUT, n))
        return len(problems)

    def write_card(
        self, folder: Path, counts: Mapping[str, int], command: str, task_modules: Sequence[str]
    ) -> None:
        """Write the card; `counts` is how many rows each split has, `command` what made them."""
        page = card(
            counts,
            ending=f".{self.to}",
            command=command,
            version=scoring_version(),
            task_modules=task_modules,
        )
        write_atomic(folder / CARD, page.encode(errors="replace"))

    def _path(self, folder: Path, split: str, n: int, of: int) -> Path:
        """Return the path of a file, as hubs name the parts of a split."""
        return folder / f"data/{split}-{n:05}-of-{of:05}.{self.to}"


async def make_numbered(
    gym: Gym, levels: Sequence[float | None], numbers: Iterable[int]
) -> AsyncGenerator[Numbered, None]:
    """Make problems of the tasks and the seed of a gym; yield what could be made, in order.

    Args:
        levels: one of them for each problem; None stands for a task's default parameters, and no
            levels for a random one each.
        numbers: which problems, counted from 0.
    """
    stream = Stream(seed=gym.settings.seed, tasks=dict.fromkeys(gym.task_names, 1.0))
    calls = (_make(gym, stream, levels, n) for n in numbers)
    async with contextlib.aclosing(in_order(calls, UNDER_WAY)) as found:
        async for made in found:
            if made is not None:
                yield made


async def _make(
    gym: Gym, stream: Stream, levels: Sequence[float | None], n: int
) -> Numbered | None:
    """Make problem `n`; return None if each attempt fails."""
    task, uniform = stream.draw(n)
    if task in gym.pool.fixed_tasks:
        level = None
    else:
        level = levels[int(uniform * len(levels))] if levels else uniform
    for attempt in range(MAX_ATTEMPTS):
        seed = stream.seed(n, attempt, task)  # the log says why one could not be made
        problem = await try_to_make(gym.draw_for_training, task, seed, level, count=lambda _: None)
        if problem is not None and problem.winnable and not problem.held_out:
            return n, problem
    return None
