"""Draw the packages of rgenv and their imports: docs/packages.dot and docs/packages.png.

    python scripts/draw_packages.py

The imports are read from the source files. An arrow that follows from others is left out: where A
imports B and B imports C, the picture has no arrow from A to C. Needs `dot` of graphviz for the
picture.
"""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOT = ROOT / "docs" / "packages.dot"
TOP = "reasoning_gym_environment.py"
BASE = "types, errors, task_names, text"
"""One node for the files that lie directly in rgenv."""

FOREIGN = ("atroposlib", "wandb", "reasoning_gym", "sympy")
WALLS = {
    "Atropos": (TOP, "atropos", "atroposlib", "wandb"),
    "child processes": ("tasks", "worker", "reasoning_gym", "sympy"),
}
"""Title of a frame -> the nodes inside it."""

HEAD = """// Written by scripts/draw_packages.py from the imports; do not edit.
digraph packages {
    rankdir=TB; nodesep=0.35; ranksep=0.45; newrank=true; dpi=110;
    fontname="Helvetica"; fontsize=12;
    node [shape=box, style="rounded,filled", fillcolor="#eaf2fb", color="#3b6ea5",
          fontname="Helvetica", fontsize=13, margin="0.18,0.08"];
    edge [color="#444444", arrowsize=0.7];"""


def imports(path: Path) -> set[str]:
    """Return dotted names of everything that a file imports, by statement or through importlib.

    Raises:
        ValueError: an import is relative.
    """
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            if node.level or not node.module:
                raise ValueError(f"{path}:{node.lineno}: imports are absolute")
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Call) and (name := _imported_by_call(node)):
            names.add(name)
    return names


def _imported_by_call(node: ast.Call) -> str:
    """Return the module of ``importlib.import_module("x")`` or ``__import__("x")``, or ""."""
    called = getattr(node.func, "attr", None) or getattr(node.func, "id", None)
    if called not in ("import_module", "__import__", "run_module", "find_spec") or not node.args:
        return ""
    return str(node.args[0].value) if isinstance(node.args[0], ast.Constant) else "?"


def arrows() -> dict[str, set[str]]:
    """Return which node imports which: packages of rgenv, the top file, foreign packages."""
    found: dict[str, set[str]] = {TOP: _targets(ROOT / TOP)}
    for path in sorted((ROOT / "rgenv").rglob("*.py")):
        if path.parent == ROOT / "rgenv" and path.stem in ("__init__", "__main__"):
            continue  # they only name what gym/ and cli/ offer
        node = _node(path.relative_to(ROOT).with_suffix("").parts)
        found.setdefault(node, set()).update(_targets(path) - {node})
    return found


def _targets(path: Path) -> set[str]:
    ours = {_node(name.split(".")) for name in imports(path) if name.startswith("rgenv.")}
    return ours | {top for name in imports(path) if (top := name.split(".")[0]) in FOREIGN}


def _node(module: list[str] | tuple[str, ...]) -> str:
    """Return the node of a module, given by the parts of its name."""
    is_package = len(module) > 1 and (ROOT / "rgenv" / module[1]).is_dir()
    return module[1] if is_package else BASE


def reduced(graph: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Return the graph without the arrows that follow from others."""

    def reachable(start: str) -> set[str]:
        return {end for target in graph.get(start, ()) for end in {target} | reachable(target)}

    return {
        node: {t for t in targets if not any(t in reachable(other) for other in targets - {t})}
        for node, targets in graph.items()
    }


def dot(graph: Mapping[str, set[str]]) -> str:
    """Return the picture of a graph in graphviz' language."""
    lines = [HEAD]
    for number, (title, members) in enumerate(WALLS.items()):
        lines.append(f'    subgraph cluster_{number} {{ label="{title}"; labelloc=b; labeljust=r;')
        lines.append('        style="dashed,rounded"; color="#a05a2c"; fontcolor="#a05a2c";')
        lines += [f"        {_declared(node)};" for node in members]
        lines.append("    }")
    inside = {node for members in WALLS.values() for node in members}
    lines += [f"    {_declared(node)};" for node in sorted(graph.keys() - inside)]
    for node, targets in sorted(reduced(graph).items()):
        lines += [f'    "{node}" -> "{target}";' for target in sorted(targets)]
    return "\n".join([*lines, "}", ""])


def _declared(node: str) -> str:
    looks = ' [fillcolor="#f2f2f2", color="#888888"]' if node in FOREIGN else ""
    return f'"{node}"{looks}'


def main() -> None:
    """Write both files."""
    DOT.write_text(dot(arrows()), encoding="utf-8")
    subprocess.run(["dot", "-Tpng", "-o", DOT.with_suffix(".png"), DOT], check=True)


if __name__ == "__main__":
    main()
