"""Distances of trees are those of zss, for trees of bounded size."""

import gc
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import reasoning_gym.code.codeio as codeio
import zss

from rgenv.tasks.safe_parse import Rejected
from rgenv.tasks.tree_distance import tree_distance


@dataclass(frozen=True)
class Zss:
    """The parts of the library zss that codeio uses."""

    Node: Any
    simple_distance: Any


def json_similarity(first: Any, second: Any) -> None:
    """Have codeio compare two JSON values; the comparison needs no data."""
    dataset = codeio.CodeIODataset.__new__(codeio.CodeIODataset)
    dataset._compute_json_similarity(first, second)


def json_pairs(seed: int) -> Iterator[tuple[Any, Any]]:
    """Yield random JSON values, each with a slightly changed copy."""
    rng = random.Random(seed)

    def grow(depth: int) -> Any:
        kind = rng.randrange(3 * (depth == 4), 6 if depth else 3)
        if kind < 3:
            return [rng.randrange(100), str(rng.random())[: rng.randrange(1, 9)], None][kind]
        size = rng.randrange(1, 5)
        if kind == 3:
            return [grow(depth - 1) for _ in range(size)]
        return {rng.choice("abcdefg") * rng.randrange(1, 4): grow(depth - 1) for _ in range(size)}

    def change(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: change(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [change(inner) for inner in value if rng.random() < 0.9]
        return value if rng.random() < 0.8 else "other"

    while True:
        value = grow(4)
        yield {"root": value}, {"root": change(value)}


def test_distances_are_those_of_zss(monkeypatch: pytest.MonkeyPatch) -> None:
    """The distance of two answers to codeio is equal to the library's to the last bit."""
    distances: list[tuple[float, float]] = []

    def compare(first: Any, second: Any, label_dist: Any) -> float:
        ours = float(tree_distance(first, second, label_dist))
        distances.append((ours, float(zss.simple_distance(first, second, label_dist=label_dist))))
        return ours

    monkeypatch.setattr(codeio, "zss", Zss(zss.Node, compare))
    pairs = json_pairs(seed=1)
    for _ in range(60):
        json_similarity(*next(pairs))
    assert [ours for ours, _ in distances] == [theirs for _, theirs in distances]
    assert len(set(distances)) > 30


def wide(labels: list[str]) -> zss.Node:
    """Return a root with one child for each label."""
    root = zss.Node("root")
    for label in labels:
        root.addkid(zss.Node(label))
    return root


@pytest.mark.parametrize("labels", [["1"] * 9_000, ["b" * 30_000]], ids=["nodes", "characters"])
def test_large_trees_are_rejected_quickly(labels: list[str]) -> None:
    """Trees with too many nodes or too long labels are refused before any computation."""
    gc.collect()  # else it may happen meanwhile, for the objects of all tests
    started = time.process_time()
    with pytest.raises(Rejected, match="JSON trees of"):
        tree_distance(wide(labels), wide(labels), lambda a, b: float(a != b))
    assert time.process_time() - started < 1.0
