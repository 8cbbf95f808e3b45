"""Work of running programs: statements executed in bf, statements to read in codeio.

Example::

    bf(entry)    # 23.0: statements of the source program until its output
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping

from rgenv.worker.verifiers.shared import Entry


def bf(entry: Entry) -> float:
    """Return the statements that the program's source executes; for a word, its letters."""
    source = entry["metadata"]["bfit_code"]
    if word := re.search(r'print\("(\w+)"\)', source):
        return float(len(word[1]))
    target, x, y = (int(re.findall(rf"int {name} = (\d+)", source)[0]) for name in "target x y".split())
    limit = int(found[1]) if (found := re.search(r"if \(acc > (\d+)\)", source)) else None
    total, work = 0, 4
    while total < target:
        total += x
        if limit is None or total > limit:
            total += y
            work += 1
        work += 2 if limit is None else 3
    return float(work + 1)


def codeio(entry: Entry) -> float:
    """Return the operations in the program's text, those in loops counted three times a loop."""
    code = entry["question"].rpartition("code directly.\n\n")[2]
    return float(_weight(ast.parse(code)))


_WORK = (ast.Call, ast.BinOp, ast.Compare, ast.BoolOp, ast.Subscript, ast.Assign, ast.AugAssign)
_LOOPS = (ast.For, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def _weight(node: ast.AST) -> int:
    inner = sum(map(_weight, ast.iter_child_nodes(node)))
    return isinstance(node, _WORK) + inner * (3 if isinstance(node, _LOOPS) else 1)


PROXIES: Mapping[str, Callable[[Entry], float]] = {"bf": bf, "codeio": codeio}
