"""The small faults that a source file can be given, each an edit of a few characters.

`mutants_of` lists them in a fixed order. A mutant is known by its function, its lines of code and
its edit, so the same one can be found again after the code has moved to another place or file.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from typing import Any

SWAPPED = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
SWAPPED |= {"is": "is not", "is not": "is", "in": "not in", "not in": "in"}
BOUNDARY = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
ARITHMETIC = {"+": "-", "-": "+", "*": "/", "/": "*", "//": "*", "%": "*", "**": "*"}
ARITHMETIC |= {"|": "&", "&": "|", "^": "&", "<<": ">>", ">>": "<<"}
SYMBOLS: dict[type[ast.AST], str] = {
    **{ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="},
    **{ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in"},
    **{ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//"},
    **{ast.Mod: "%", ast.Pow: "**", ast.BitOr: "|", ast.BitAnd: "&", ast.BitXor: "^"},
    **{ast.LShift: "<<", ast.RShift: ">>"},
}
DEFAULTS = {"bool": "False", "int": "0", "float": "0.0", "str": '""', "list": "[]", "dict": "{}"}
DEFAULTS |= {"tuple": "()", "set": "set()"}
NOT_MUTATED = {"TypeVar", "ParamSpec", "NewType", "cast", "namedtuple"}
"""Calls whose arguments only the type checker reads."""
TYPE_FORMS = {"Literal", "Annotated", "Callable"}


@dataclass(frozen=True)
class Mutant:
    """One small fault: bytes `start` to `end` of a file, `before`, become `after`."""

    file: str
    line: int
    function: str  # qualified name; "" at the top of the module
    operator: str
    code: str  # the lines of the edit, without their indent
    offset: int  # of the edit in `code`, in bytes
    before: str
    after: str
    start: int = field(compare=False)
    end: int = field(compare=False)

    @property
    def key(self) -> str:
        """What stays the same when the function moves."""
        name = self.function.rpartition(".")[2]
        parts = (name, self.code, self.offset, self.operator, self.before, self.after)
        return hashlib.blake2b(repr(parts).encode(), digest_size=5).hexdigest()

    @property
    def id(self) -> str:
        return f"{self.file}:{self.line}:{self.key}"

    def applied(self, source: bytes) -> bytes:
        return source[: self.start] + self.after.encode() + source[self.end :]

    def as_json(self) -> dict[str, Any]:
        return {"id": self.id, **asdict(self)}


def mutants_of(file: str, source: bytes) -> list[Mutant]:
    """Return every mutant of a file, in the order of its code."""
    finder = _Finder(file, source)
    finder.visit(ast.parse(source))
    return sorted(finder.found, key=lambda mutant: (mutant.start, mutant.end, mutant.after))


def works(mutant: Mutant, source: bytes) -> bool:
    """Return whether the changed file is Python, and another program than before."""
    try:
        changed = ast.dump(ast.parse(mutant.applied(source)))
    except SyntaxError:
        return False
    return changed != ast.dump(ast.parse(source))


class _Finder(ast.NodeVisitor):
    def __init__(self, file: str, source: bytes) -> None:
        self.found: list[Mutant] = []
        self._file, self._source = file, source
        self._lines = source.splitlines(keepends=True)
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line))
        self._names: list[str] = []
        self._returns: list[str] = []

    def _at(self, line: int, column: int) -> int:
        return self._starts[line - 1] + column

    def _span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None and node.end_col_offset is not None
        return (
            self._at(node.lineno, node.col_offset),
            self._at(node.end_lineno, node.end_col_offset),
        )

    def _text(self, node: ast.expr) -> str:
        start, end = self._span(node)
        return self._source[start:end].decode()

    def _edit(self, operator: str, start: int, end: int, after: str) -> None:
        first = self._source.count(b"\n", 0, start)
        last = self._source.count(b"\n", 0, max(start, end - 1))
        indent = len(self._lines[first]) - len(self._lines[first].lstrip())
        code = b"".join(self._lines[first : last + 1]).decode()
        self.found.append(
            Mutant(
                file=self._file,
                line=first + 1,
                function=".".join(self._names),
                operator=operator,
                code="\n".join(line.strip() for line in code.splitlines()),
                offset=start - self._starts[first] - indent,
                before=self._source[start:end].decode(),
                after=after,
                start=start,
                end=end,
            )
        )

    def _between(
        self, left: ast.expr, right: ast.expr, symbol: str, changes: Sequence[tuple[str, str]]
    ) -> None:
        """Replace the symbol between two expressions; `changes` has operators and replacements."""
        start, end = self._span(left)[1], self._span(right)[0]
        words = re.escape(symbol).replace(r"\ ", r"\s+")
        found = list(re.finditer(words.encode(), self._source[start:end]))
        if len(found) == 1:
            for operator, after in changes:
                self._edit(operator, start + found[0].start(), start + found[0].end(), after)

    def _negate(self, test: ast.expr) -> None:
        start, end = self._span(test)
        self._edit("condition negated", start, end, f"(not ({self._text(test)}))")

    # What is not mutated: types, decorators, docstrings, text with blanks, assertions

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._names.append(node.name)
        self._returns.append(ast.unparse(node.returns) if node.returns else "")
        for default in [*node.args.defaults, *node.args.kw_defaults]:
            if default is not None:
                self.visit(default)
        self._visit_all(node.body)
        self._returns.pop()
        self._names.pop()

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._names.append(node.name)
        self._visit_all(node.body)
        self._names.pop()

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if not (isinstance(node.value, ast.Name) and node.value.id in TYPE_FORMS):
            self.generic_visit(node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Python 3.11 does not say where the parts of an f-string are."""

    def visit_Assert(self, node: ast.Assert) -> None:
        """It tells the type checker something that holds anyway."""

    def visit_If(self, node: ast.If) -> None:
        text = ast.unparse(node.test)
        if "__name__" in text or text == "TYPE_CHECKING":
            return
        self._negate(node.test)
        self.generic_visit(node)

    def _visit_all(self, nodes: Sequence[ast.AST]) -> None:
        for node in nodes:
            self.visit(node)

    # The mutations

    def visit_Compare(self, node: ast.Compare) -> None:
        terms = [node.left, *node.comparators]
        for (left, right), op in zip(pairwise(terms), node.ops, strict=True):
            symbol = SYMBOLS[type(op)]
            changes = [("comparison swapped", SWAPPED[symbol])]
            if symbol in BOUNDARY:
                changes.append(("off by one", BOUNDARY[symbol]))
            self._between(left, right, symbol, changes)
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        symbol = SYMBOLS.get(type(node.op))
        is_type = symbol == "|" and not self._names  # at the top of a module: a union of types
        if symbol is not None and not is_type:
            changes = [("arithmetic swapped", ARITHMETIC[symbol])]
            self._between(node.left, node.right, symbol, changes)
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        symbol = SYMBOLS.get(type(node.op))
        if symbol is not None:
            changes = [("arithmetic swapped", f"{ARITHMETIC[symbol]}=")]
            self._between(node.target, node.value, f"{symbol}=", changes)
        self._edit("statement deleted", *self._span(node), "pass")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        value, (start, end) = node.value, self._span(node)
        if isinstance(value, bool):
            self._edit("constant changed", start, end, str(not value))
        elif isinstance(value, int | float):
            self._edit("constant changed", start, end, f"{value + 1!r}")
            if isinstance(value, int) and value > 1:
                self._edit("constant changed", start, end, f"{value - 1!r}")
        elif isinstance(value, str) and value and not re.search(r"\s", value):
            self._edit("constant changed", start, end, repr(f"{value}_"))

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        word, other = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        for left, right in pairwise(node.values):
            self._between(left, right, word, [("and, or swapped", other)])
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not):
            self._edit("not dropped", *self._span(node), self._text(node.operand))
        elif isinstance(node.op, ast.USub) and not isinstance(node.operand, ast.Constant):
            self._edit("arithmetic swapped", *self._span(node), self._text(node.operand))
        self.generic_visit(node)

    def visit_While(self, node: ast.While) -> None:
        if not isinstance(node.test, ast.Constant):
            self._negate(node.test)
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self._negate(node.test)
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        for test in node.ifs:
            self._negate(test)
        self.generic_visit(node)

    def visit_Return(self, node: ast.Return) -> None:
        if node.value is not None:
            before = self._text(node.value)
            kind = re.match(r"\w*", self._returns[-1])
            default = DEFAULTS.get(kind.group() if kind else "", "None")
            if before == default == "False":
                default = "True"
            if before != default:
                self._edit("return replaced", *self._span(node.value), default)
        self.generic_visit(node)

    def visit_Await(self, node: ast.Await) -> None:
        start, end = self._span(node)
        value = self._source[start:end].decode().removeprefix("await").lstrip()
        self._edit("await dropped", start, end, value)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Name) and node.func.id in NOT_MUTATED:
            return
        plain = [one for one in node.args if not isinstance(one, ast.Starred | ast.GeneratorExp)]
        for left, right in pairwise(plain):
            (start, middle), (after, end) = self._span(left), self._span(right)
            gap = self._source[middle:after].decode()
            swapped = f"{self._text(right)}{gap}{self._text(left)}"
            self._edit("arguments swapped", start, end, swapped)
        for place, keyword in enumerate(node.keywords):
            start, end = self._at(keyword.lineno, keyword.col_offset), self._span(keyword.value)[1]
            if before := [*node.args, *(k.value for k in node.keywords[:place])]:
                start = max(self._span(one)[1] for one in before)
                start += self._source[start:end].find(b",")  # behind a closing parenthesis
            elif len(node.keywords) > 1:
                end += self._source[end:].find(b",") + 1
            self._edit("argument dropped", start, end, "")
        self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):  # a docstring
            self._edit("statement deleted", *self._span(node), "pass")
            self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        if self._names and not any(isinstance(t, ast.Name | ast.Tuple) for t in node.targets):
            self._edit("statement deleted", *self._span(node), "pass")
        self.generic_visit(node)

    def visit_Raise(self, node: ast.Raise) -> None:
        self._edit("statement deleted", *self._span(node), "pass")
        self.generic_visit(node)

    def _delete(self, node: ast.Continue | ast.Break | ast.Delete) -> None:
        self._edit("statement deleted", *self._span(node), "pass")

    visit_Continue = visit_Break = visit_Delete = _delete


def same(mutant: Mutant, found: Iterable[Mutant]) -> Mutant | None:
    """Return the mutant of the same key in a changed tree, the one nearest to where it was.

    In another file it must be inside a function, because short lines of tables are alike.
    """
    alike = [one for one in found if one.key == mutant.key]
    return min(
        (one for one in alike if one.function or one.file == mutant.file),
        key=lambda one: (
            one.file != mutant.file,
            one.function != mutant.function,
            one.file,
            abs(one.line - mutant.line),
        ),
        default=None,
    )
