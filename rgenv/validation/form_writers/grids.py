"""Other forms of matrices and boards."""

from __future__ import annotations

import json
import re
from typing import Any

from rgenv.validation.form_writers.kind import NUMBER, Forms
from rgenv.validation.form_writers.lists import json_value


def grid(reference: str, question: str) -> Forms:
    """Rows with other spaces and line ends, with commas, and as JSON."""
    rows = [line.split() for line in reference.split("\n")]
    values: list[list[Any]] = [[_json_cell(cell) for cell in row] for row in rows]
    lines = [json.dumps(row) for row in values]
    return {
        "space at line ends": "\n".join(" ".join(row) + " " for row in rows),
        "CRLF": "\r\n".join(" ".join(row) for row in rows),
        "tabs": "\n".join("\t".join(row) for row in rows),
        "two spaces": "\n".join("  ".join(row) for row in rows),
        "commas": "\n".join(", ".join(row) for row in rows),
        "commas without spaces": "\n".join(",".join(row) for row in rows),
        "line break at the end": "\n".join(" ".join(row) for row in rows) + "\n",
        "JSON": json.dumps(values),
        "JSON without spaces": json.dumps(values, separators=(",", ":")),
        "JSON on lines": "[" + ",\n ".join(lines) + "]",
    }


def _json_cell(cell: str) -> Any:
    return json.loads(cell) if NUMBER.fullmatch(cell) else cell


def compact_rows(reference: str, question: str) -> Forms:
    """Rows without spaces, where every cell is one character."""
    return {"compact rows": reference.replace(" ", "")}


def two_decimals(reference: str, question: str) -> Forms:
    """A matrix whose numbers all have two decimals, as the question asks."""
    rows = [line.split() for line in reference.split("\n")]
    return {"two decimals": "\n".join(" ".join(f"{float(cell):.2f}" for cell in r) for r in rows)}


def futoshiki(reference: str, question: str) -> Forms:
    """The board with other line ends, and the numbers alone."""
    lines = reference.split("\n")
    rows = [re.findall(r"\d", line) for line in lines if re.search(r"\d", line)]
    numbers = grid("\n".join(" ".join(row) for row in rows), question)
    forms = {f"numbers alone, {name}": text for name, text in numbers.items()}
    return forms | {
        "no space at line ends": "\n".join(line.rstrip() for line in lines),
        "CRLF": "\r\n".join(lines),
    }


def life_board(reference: str, question: str) -> Forms:
    """A board with other spaces, as in the question, and on lines."""
    rows = json.loads(reference)
    return json_value()(reference, question) | {
        "JSON on lines": "[" + ",\n ".join(json.dumps(row) for row in rows) + "]",
        "lines": "\n".join(" ".join(map(str, row)) for row in rows),
    }


def signs(reference: str, question: str) -> Forms:
    """Rows of signs with spaces between them and at line ends."""
    lines = reference.split("\n")
    return {
        "spaces": "\n".join(" ".join(line) for line in lines),
        "space at line ends": "\n".join(f"{line} " for line in lines),
        "CRLF": "\r\n".join(lines),
    }
