"""Work of rewriting: rules to apply, cells to move or combine."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rgenv.tasks.entry import Entry


def pool_matrix(entry: Entry) -> float:
    """Count the numbers to combine, twice where they are added up and divided."""
    metadata = entry["metadata"]
    numbers = metadata["rows"] * metadata["cols"]
    return float(numbers * (2 if metadata["pool_type"] == "average" else 1))


def rotate_matrix(entry: Entry) -> float:
    """Count the numbers that move, and the whole turns to leave out."""
    turns, size = entry["metadata"]["num_rotations"], entry["metadata"]["n"]
    return float(turns // 4 + (size * size if turns % 4 else 0))


def spiral_matrix(entry: Entry) -> float:
    """Count the numbers, and the corners where the spiral turns."""
    size = entry["metadata"]["n"]
    return float(size * size + 2 * size - 2)


def string_manipulation(entry: Entry) -> float:
    """Count the rules to compare with each string on the way to the answer."""
    return float(len(entry["metadata"]["states"]) * entry["metadata"]["num_rules"])


def string_splitting(entry: Entry) -> float:
    """Count the rules that are applied."""
    return float(len(entry["metadata"]["states"]) - 1)


def string_synthesis(entry: Entry) -> float:
    """Count the rules that are applied."""
    return float(len(entry["metadata"]["states"]) - 1)


PROXIES: Mapping[str, Callable[[Entry], float]] = {
    "pool_matrix": pool_matrix,
    "rotate_matrix": rotate_matrix,
    "spiral_matrix": spiral_matrix,
    "string_manipulation": string_manipulation,
    "string_splitting": string_splitting,
    "string_synthesis": string_synthesis,
}
