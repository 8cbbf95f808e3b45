"""Other ways to write an answer of several parts.

Each form of the same parts differs from the others, but says the same.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

Forms = dict[str, str]
"""Name of a form -> the answer in that form."""


def spaced_forms(parts: Sequence[str]) -> Forms:
    """Return the forms of a list whose items hold neither blanks nor commas nor arrows."""
    forms = {
        "json": json.dumps(parts),
        "compact json": json.dumps(parts, separators=(",", ":"), ensure_ascii=False),
        "python": str(list(parts)),
        "brackets": f"[{', '.join(parts)}]",
        "round brackets": f"({', '.join(parts)})",
        "lines": "\r\n".join(parts) + "\r\n",
        "numbers": "\n".join(f"{n}. {part}" for n, part in enumerate(parts, 1)),
        "bullets": "\n".join(f"- {part}" for part in parts),
    }
    separators = [", ", ",", "; ", "  ", "\t", " → ", " -> "]
    return forms | {separator: separator.join(parts) for separator in separators}


def grid_forms(rows: Sequence[Sequence[str]], compact: bool = False) -> Forms:
    """Return the forms of a grid."""
    listed = [list(row) for row in rows]
    forms = {
        "line ends": " \r\n".join(" ".join(row) for row in rows) + " \r\n\r\n",
        "two blanks": "\n".join("  ".join(row) for row in rows),
        "tabs": "\n".join("\t".join(row) for row in rows),
        "commas": ",\n".join(", ".join(row) for row in rows),
        "bars": "\n".join(f"| {' | '.join(row)} |" for row in rows),
        "drawn": "\n---+---\n".join("|".join(row) for row in rows),
        "json": json.dumps(listed),
        "python": str(listed),
        "brackets": "[" + ",".join("[" + ",".join(row) + "]" for row in rows) + "]",
        "bracketed lines": "\n".join(f"[{', '.join(row)}]" for row in rows),
        "numpy": "[" + "\n ".join(f"[{' '.join(row)}]" for row in rows) + "]",
        "LaTeX": "\\begin{matrix}" + "\\\\".join(map(" & ".join, rows)) + "\\end{matrix}",
    }
    if compact:
        forms["compact"] = "\n".join("".join(row) for row in rows)
        if len(rows) > 1 and len(rows[0]) > 1:
            forms["list of rows"] = json.dumps(["".join(row) for row in rows], ensure_ascii=False)
    return forms


def mapping_forms(pairs: Sequence[tuple[str, str]]) -> Forms:
    """Return the forms of a mapping, in the order of `pairs` and in another."""
    return {
        "json": json.dumps(dict(pairs)),
        "python": str(dict(pairs)),
        "colons": "\n".join(f"{key}: {value}" for key, value in pairs),
        "bullets": "\n".join(f"- {key} = {value}" for key, value in pairs),
        "semicolons": "; ".join(f"{key}={value}" for key, value in reversed(pairs)),
        "arrows": ", ".join(f"{key} → {value}" for key, value in pairs),
        "words": ", ".join(f"{key} is {value}" for key, value in pairs),
    }
