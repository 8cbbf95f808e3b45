"""Run codeio's programs: again to see whether an item can be answered, and on proposed inputs.

A proposed value is data: JSON of the types, keys and sizes that the item's own generator
makes. Programs that could execute, import or open what they are given never run on it.
`unreproducible.json` lists the programs whose output nobody can predict, by the digest of their
code; benchmarks/programs.py of commit ececb0bc wrote it.
"""

import copy
from functools import lru_cache
from typing import Any

from rgenv.tasks.entry import Entry
from rgenv.tasks.programs.equality import are_equal
from rgenv.tasks.programs.permissions import may_run
from rgenv.tasks.programs.reading import read_value
from rgenv.tasks.programs.running import ProgramFailed, compiled, run, run_freely
from rgenv.tasks.programs.shapes import Misfit, fitted, shape_of
from rgenv.tasks.programs.source import code_of, generator_of, is_unreproducible

SAMPLES = 24
"""Inputs that the generator makes, to see what they look like."""
MAX_INPUT = 20_000
"""Characters of a proposed input, if the item's own is not longer."""

_SAMPLE = """
def __samples__(number):
    return [generate_inputs(Random(seed)) for seed in range(number)]
"""


def gives_output(text: str, entry: Entry) -> bool:
    """Return whether the program of `entry` returns the item's output for the input `text`.

    False if the program may not run, fails or takes too long, and if the value is not like the
    inputs that the item's generator makes. It raises nothing.
    """
    question, metadata = str(entry["question"]), entry["metadata"]
    code = code_of(question)
    if code is None or len(text) > max(MAX_INPUT, 2 * len(str(entry["answer"]))):
        return False
    given = read_value(text)
    if not (isinstance(given, dict) and may_run(code)):
        return False
    try:
        arguments = fitted(given, shape_of([metadata["input_data"], *_samples(code)]))
        return are_equal(run(compiled(code), "main_solution", **arguments), metadata["output_data"])
    except (Misfit, ProgramFailed):
        return False


def repeats_output(entry: Entry) -> bool:
    """Return whether the program of `entry` returns the item's output for the item's input again.

    It runs as the library ran it, on the library's own input.
    """
    code, metadata = code_of(str(entry["question"])), entry["metadata"]
    if code is None or is_unreproducible(code):
        return False
    source = f"{code}\n\n{generator_of(code) or ''}"
    arguments = copy.deepcopy(metadata["input_data"])
    try:
        return are_equal(run_freely(source, "main_solution", **arguments), metadata["output_data"])
    except ProgramFailed:
        return False


@lru_cache(maxsize=32)
def _samples(code: str) -> list[dict[str, Any]]:
    """Return inputs that the generator of a program makes; none if it is not known or fails."""
    generator = generator_of(code)
    if generator is None:
        return []
    try:
        program = compiled(f"{code}\n\n{generator}\n\n{_SAMPLE}")
        samples = run(program, "__samples__", SAMPLES)
    except (ProgramFailed, SyntaxError):
        return []
    return [sample for sample in samples if isinstance(sample, dict)]
