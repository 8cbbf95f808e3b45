"""Find the functions in a module's source that execute or parse text, called or not."""

import ast
import builtins
from dataclasses import dataclass

PARSERS = {"parse_expr", "sympify", "literal_eval", "lambdify", "S", "nsimplify"}
"""Functions of sympy and ast that read text."""

_RUNNERS = {"builtins.eval", "builtins.exec", "builtins.compile", "builtins.__import__"}


@dataclass(frozen=True)
class Use:
    """An occurrence of such a function: its module, the function around it, and its spelling."""

    module: str
    function: str
    written: str


class RunnerFinder(ast.NodeVisitor):
    """Reads one module, resolving imports and aliases."""

    def __init__(self, module: str, source: str) -> None:
        self.name = module
        self.uses: list[Use] = []
        self.sympy_functions: set[str] = set()
        self._function = ""
        self._origins: dict[str, str] = {name: f"builtins.{name}" for name in vars(builtins)}
        self._names_by_function: dict[str, set[str]] = {}
        tree = ast.parse(source)
        for node in tree.body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                self._origins[node.name] = f"{module}.{node.name}"
        for node in ast.walk(tree):
            self._import(node)
        self.visit(tree)

    def reached(self) -> set[str]:
        """Return the functions of this module that `score_answer` may call, in whatever way."""
        defined = self._names_by_function.keys()
        seen: set[str] = set()
        new = {"score_answer"} & defined
        while new:
            seen |= new
            new = set.union(*(self._names_by_function[name] for name in new)) & defined - seen
        return seen

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        """Attribute everything inside to the outermost function."""
        outer, self._function = self._function, self._function or node.name
        self.generic_visit(node)
        self._function = outer

    def visit_Name(self, node: ast.Name) -> None:
        self._inspect(node, node.id)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self._inspect(node, node.attr)
        self.generic_visit(node)

    def _import(self, node: ast.AST) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name if alias.asname else alias.name.split(".")[0]
                self._origins[alias.asname or top] = top
        elif isinstance(node, ast.ImportFrom):
            origin = "." * node.level + (node.module or "")
            for alias in node.names:
                self._origins[alias.asname or alias.name] = f"{origin}.{alias.name}"

    def _inspect(self, node: ast.expr, last: str) -> None:
        self._names_by_function.setdefault(self._function, set()).add(last)
        full = self._resolve(node)
        origin, _, name = full.rpartition(".")
        library = origin.split(".")[0] in ("sympy", "ast")
        if full in _RUNNERS or (library and name in PARSERS):
            self.uses.append(Use(self.name, self._function, ast.unparse(node)))
        if full.split(".")[0] == "sympy":
            self.sympy_functions.add(self._function)

    def _resolve(self, node: ast.expr) -> str:
        if isinstance(node, ast.Name):
            return self._origins.get(node.id, "")
        if isinstance(node, ast.Attribute):
            owner = self._resolve(node.value)
            return f"{owner}.{node.attr}" if owner else ""
        return ""
