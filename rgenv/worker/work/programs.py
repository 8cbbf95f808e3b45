"""Work of running programs: statements executed in bf, statements to read in codeio.

Example::

    bf(entry)    # 23.0: statements of the source program until its output
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Mapping

from rgenv.tasks.entry import Entry

CELL = 256
"""Values of a cell: the library's interpreter counts on from 255 at 0."""
MAX_STATEMENTS = 2_000
"""Some programs run for ever: 2 added again and again to 0 never makes 255. Others end within 600
statements."""


def bf(entry: Entry) -> float:
    """Return the statements that the program's source executes; for a word, its letters."""
    return float(run_bf(entry["metadata"]["bfit_code"])[1])


def run_bf(source: str) -> tuple[str, int]:
    """Return the output of one of the library's programs, and how many statements it executes.

    For a word, the statements are its letters.

    Raises:
        ValueError: the program takes too many steps or never ends.
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


def codeio(entry: Entry) -> float:
    """Return the operations in the program's text, those in loops counted three times a loop."""
    code = entry["question"].rpartition("code directly.\n\n")[2]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about escape sequences in the program
        return float(_weight(ast.parse(code)))


_WORK = (ast.Call, ast.BinOp, ast.Compare, ast.BoolOp, ast.Subscript, ast.Assign, ast.AugAssign)
_LOOPS = (ast.For, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def _weight(node: ast.AST) -> int:
    inner = sum(map(_weight, ast.iter_child_nodes(node)))
    return isinstance(node, _WORK) + inner * (3 if isinstance(node, _LOOPS) else 1)


PROXIES: Mapping[str, Callable[[Entry], float]] = {"bf": bf, "codeio": codeio}
