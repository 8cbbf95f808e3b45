"""Say what a Brainf*ck program prints."""

import importlib
import re
from typing import Any

from rgenv.tasks import Entry, Task, Text, moving, part_of
from rgenv.tasks.symmetries import sorted_amounts

CELL = 256
"""Values of a cell: the library's interpreter counts on from 255 at 0."""
MAX_STATEMENTS = 2_000
"""Some programs run for ever: 2 added again and again to 0 never makes 255. Others end within 600
statements."""


def family(entry: Entry) -> object:
    """Keep how often each instruction appears; ignore their order."""
    return sorted_amounts(part_of(r"^([-+<>.,\[\]]+)$", entry))


def work(entry: Entry) -> float:
    """Count the statements that the program's source executes; for a word, its letters."""
    return float(run_bf(entry["metadata"]["bfit_code"])[1])


def run_bf(source: str) -> tuple[str, int]:
    """Return the output of one of the library's programs, and the statements that it executes.

    For a word, these are its letters. Raise ValueError if the program never ends.
    """
    if word := re.search(r'print\("(\w+)"\)', source):
        return word[1], len(word[1])
    target, x, y = (
        int(re.findall(rf"int {name} = (\d+)", source)[0]) % CELL for name in ("target", "x", "y")
    )
    condition = re.search(r"if \(acc > (\d+)\)", source)
    bound = int(condition[1]) % CELL if condition else -1
    total, statements = 0, 5
    while total < target:
        total = (total + x) % CELL
        statements += 3 if condition else 2
        if total > bound:
            total = (total + y) % CELL
            statements += 1
        if statements > MAX_STATEMENTS:
            raise ValueError("the program takes too many steps or never ends")
    return str(total), statements


_bf_output: dict[str, str] = {}
"""The last program that was compiled -> its output."""


def bf_compiled(_self: Any, bfit: str) -> str:
    """Compile a program, and run its source, which takes far less time than what it compiles to."""
    output, _ = run_bf(bfit)
    compiler = importlib.import_module("reasoning_gym.code.contrib.bfit.Compiler").Compiler
    program = str(compiler.compile(bfit, optimize_code=True))
    _bf_output.clear()
    _bf_output[program] = output
    return program


TASK = Task(
    answer=Text(),
    clarify=(("", "A cell holds eight bits, so that 255 plus 1 is 0."),),
    family=family,
    work=work,
    # The curriculum has three kinds of programs; within a kind, problems are chosen by the
    # statements that they execute. Cells wrap at 256, and some programs of the hardest kind
    # never end: they are refused.
    levels=moving(
        difficulty=[1, 2, 2, 3, 3],
        work=[(1, 10), (8, 20), (26, 70), (45, 100), (110, 330)],
    ),
    faster={
        "code.bf:BFDataset:compile_bfit_code_to_bf": bf_compiled,
        "code.bf:bfi:interpret": lambda program, **_: _bf_output[program],
    },
    accepted={"shortcut": "the answer is what the characters of the question print"},
)
