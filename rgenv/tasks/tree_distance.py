"""Compute the edit distance of two trees, as codeio's verifier needs it.

`tree_distance` replaces ``zss.simple_distance``, which also keeps the list of edits for every pair
of nodes. Without those lists, a distance that takes zss a minute takes a second; the number is the
same.
"""

import functools
from collections.abc import Callable
from itertools import accumulate
from typing import Any

from zss.compare import AnnotatedTree

from rgenv.tasks.safe_parse import Rejected

LabelDistance = Callable[[str, str], float]

MAX_TREE_CELLS = 500_000
MAX_LABEL_CELLS = 5_000_000
"""Half a second each. Honest answers to 99 of 100 codeio problems need less than a tenth."""


def tree_distance(first: Any, second: Any, label_dist: LabelDistance) -> float:
    """Return the least total cost of edits that turn one ``zss.Node`` tree into another.

    `label_dist` is the cost of replacing a label; the empty label stands for no node. Raise
    Rejected if the trees are too large.
    """
    first_labels, second_labels = _labels(first), _labels(second)
    _refuse_large(len(first_labels), len(second_labels), MAX_TREE_CELLS, "nodes")
    first_size, second_size = sum(map(len, first_labels)), sum(map(len, second_labels))
    _refuse_large(first_size, second_size, MAX_LABEL_CELLS, "characters")
    a, b = (AnnotatedTree(tree, lambda node: node.children) for tree in (first, second))
    _refuse_large(_table_rows(a), _table_rows(b), MAX_TREE_CELLS, "cells")
    cost = functools.cache(lambda x, y: float(label_dist(x, y)))
    distances: dict[tuple[int, int], float] = {}
    # Zhang and Shasha's order: a pair of subtrees comes after all pairs inside it.
    for i in a.keyroots:
        for j in b.keyroots:
            _fill_in(distances, _subtree(a, i), _subtree(b, j), cost)
    return distances[len(a.nodes) - 1, len(b.nodes) - 1]


Subtree = tuple[int, list[str], list[int]]
"""Of the nodes below and including a root, in post-order: the index of the first one in the whole
tree, their labels, and for each the index of the leftmost leaf below it, counted from the first."""


def _subtree(tree: Any, root: int) -> Subtree:
    start = tree.lmds[root]
    labels = [node.label for node in tree.nodes[start : root + 1]]
    return start, labels, [leaf - start for leaf in tree.lmds[start : root + 1]]


def _fill_in(
    distances: dict[tuple[int, int], float], a: Subtree, b: Subtree, cost: LabelDistance
) -> None:
    """Add the distances of all pairs of subtrees that have the leftmost leaves of `a` and `b`."""
    # Row x and column y of the table stand for the first x nodes of `a` and the first y of `b`.
    (a_start, a_labels, a_leftmost), (b_start, b_labels, b_leftmost) = a, b
    inserted = [cost("", label) for label in b_labels]
    above = list(accumulate(inserted, initial=0.0))
    table = [above]
    for x, label in enumerate(a_labels):
        removed = cost(label, "")
        row = [above[0] + removed]
        for y, other in enumerate(b_labels):
            pair = a_start + x, b_start + y
            both_are_trees = a_leftmost[x] == b_leftmost[y] == 0
            if both_are_trees:
                matched = above[y] + cost(label, other)
            else:
                matched = table[a_leftmost[x]][b_leftmost[y]] + distances[pair]
            row.append(min(above[y + 1] + removed, row[y] + inserted[y], matched))
            if both_are_trees:
                distances[pair] = row[-1]
        table.append(row)
        above = row


def _labels(tree: Any) -> list[str]:
    return [tree.label, *(label for child in tree.children for label in _labels(child))]


def _table_rows(tree: Any) -> int:
    """Count the rows of all tables of a tree: one table for each of its key roots."""
    return sum(root - tree.lmds[root] + 1 for root in tree.keyroots)


def _refuse_large(first: int, second: int, limit: int, unit: str) -> None:
    if first * second > limit:
        raise Rejected(f"JSON trees of {first} and {second} {unit}")
