"""Export files of a test without workers."""

import asyncio
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rgenv.export.best import Exporter, Wanted
from rgenv.export.training_only import Side
from tests.support.viewed import row


def problem(
    name: str, scores: Sequence[float] = (1.0, 0.0), number: int = 1, **more: Any
) -> dict[str, Any]:
    """Return a saved group of the problem with this number, each of another run."""
    question = f"What is {number} times 7?"
    recipe = {"task": "gcd", "config": {"n": number}, "seed": number}
    texts = [f"<answer>{name} {index}</answer>" for index in range(len(scores))]
    return row(
        name, scores, question=question, **{"texts": texts, "recipe": recipe, "run": name, **more}
    )


async def even_numbers_are_held_out(recipe: Mapping[str, Any], question: str) -> Side:
    """Judge problems without workers, those with higher numbers first."""
    number = recipe.get("seed")
    if not isinstance(number, int):
        return "unknown"
    await asyncio.sleep(0.01 / number)
    return "training" if number % 2 else "held out"


async def exported(*roots: Path, **wanted: Any) -> tuple[list[dict[str, Any]], Exporter]:
    """Return the rows of an export, and what counted them."""
    with tempfile.TemporaryDirectory() as folder:
        exporter = Exporter(roots, Wanted(**wanted), Path(folder))
        exporter.choose()
        rows: list[dict[str, Any]] = []
        await exporter.write(rows.append, even_numbers_are_held_out)
        exporter.close()
    return rows, exporter
