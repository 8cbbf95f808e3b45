"""Check rows, others' or ours: their reference answers, and which texts the library overpays."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rgenv.errors import BadUsage, MakeFailed, require_extra
from rgenv.gym.gym import Gym
from rgenv.gym.recipes import find, read_row
from rgenv.pool.pool import WorkerPool
from rgenv.runtime.files import parse_json
from rgenv.runtime.json_lines import read_lines
from rgenv.runtime.parts import in_order
from rgenv.task_names import require_task
from rgenv.text import one_line
from rgenv.types import SOLVED, Problem

TEXTS = ("completions", "completion", "responses", "response", "outputs", "output")
"""Columns of a text, or a list of texts; the first one counts."""

Numbered = tuple[str, Any]
"""The place of a row, and the row; a ValueError in place of one that can't be read."""


@dataclass
class RowReport:
    """What is wrong with a row, in lines, and in numbers."""

    lines: list[str] = field(default_factory=list)
    texts: int = 0
    is_wrong: bool = False  # its reference answer
    is_judged: bool = True  # a right answer to its question is known
    overpaid: int = 0  # texts that are wrong, and solve it for the library's verifier


def read_rows(path: Path) -> Iterator[Numbered]:
    """Yield the rows of a parquet file or of JSON lines; BadUsage: it is no parquet file."""
    if path.suffix != ".parquet":
        for number, line in enumerate(read_lines(path), 1):
            try:
                yield f"{path}:{number}", parse_json(line)
            except ValueError as error:
                yield f"{path}:{number}", error
        return
    require_extra("parquet", ["pyarrow"], "A parquet file")
    from pyarrow import parquet

    try:
        table = parquet.ParquetFile(path)
    except ValueError as error:
        raise BadUsage(f"{path} is not a parquet file: {one_line(error)}.") from None
    number = 0
    for batch in table.iter_batches(batch_size=100):
        for row in batch.to_pylist():
            number += 1
            yield f"{path}:{number}", row


def check_rows(
    numbered: Iterable[Numbered], gym: Gym, library: WorkerPool, ahead: int
) -> AsyncGenerator[RowReport, None]:
    """Check rows with our verifiers and the library's, in order, so many at the same time."""
    return in_order((_check_row(place, row, gym, library) for place, row in numbered), ahead)


async def _check_row(place: str, row: Any, gym: Gym, library: WorkerPool) -> RowReport:
    report, place = RowReport(), one_line(place)
    try:
        if isinstance(row, ValueError):
            raise BadUsage("It is not JSON.")
        problem: Problem | None = read_row(row)
        if problem is None:  # a row of `export`
            if (recipe := find(row, {"task", "seed"})) is None:
                raise BadUsage("It has neither a question nor a recipe.")
            problem = await gym.remake(recipe)
            stored = find(row, {"answer"})
            if stored is not None and isinstance(stored["answer"], str):
                problem = replace(problem, answer=stored["answer"])
        require_task(problem.task, gym.categories)
        right = await gym.pool.solve(problem)
    except (BadUsage, MakeFailed) as error:
        report.is_judged = False
        report.lines.append(f"{place}: not judged: {one_line(error)}")
        return report
    place = f"{place}: {problem.task}"
    answers = [problem.dialogue.reading.answer(text) for text in _texts(row)]
    [reference, *verdicts] = await gym.pool.score(problem, [problem.answer, *answers])
    report.texts = len(answers)
    report.is_wrong = problem.answer is not None and reference.score < SOLVED
    if report.is_wrong:
        said = "" if right is None else f"; {_quoted(right)} is right"
        report.lines.append(
            f"{place}: the reference answer {_quoted(problem.answer)} is wrong{said}"
        )
    paid = await library.score(problem, answers)
    for index, pair in enumerate(zip(verdicts, paid, strict=True)):
        if pair[0].score < SOLVED <= pair[1].score:
            report.overpaid += 1
            said = f"the library pays {_quoted(answers[index])}, which is wrong"
            report.lines.append(f"{place}: text {index + 1}: {said}")
    return report


def _texts(row: Any) -> list[str]:
    """Return the texts of a model that a row has."""
    found: Any = next((row[name] for name in TEXTS if row.get(name)), [])
    listed = [found] if isinstance(found, str) else found
    return [text for text in listed if isinstance(text, str)] if isinstance(listed, list) else []


def _quoted(answer: str | None) -> str:
    return one_line(repr(answer), 60)
