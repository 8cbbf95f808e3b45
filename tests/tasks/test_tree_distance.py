"""Distances of trees are those of zss, for trees of bounded size."""

from types import SimpleNamespace
from typing import Any

import pytest
import reasoning_gym.code.codeio as codeio
import zss
from hypothesis import given, settings
from hypothesis import strategies as st

from rgenv.tasks.safe_parse import Rejected
from rgenv.tasks.tree_distance import tree_distance
from tests.support.timing import processor_seconds

JSON = st.recursive(
    st.integers(0, 99) | st.text("0123456789.", max_size=9) | st.none(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abc"), inner, max_size=4),
    max_leaves=16,
)


def test_distances_are_those_of_zss(monkeypatch: pytest.MonkeyPatch) -> None:
    distances: list[tuple[float, float]] = []

    def compare(first: Any, second: Any, label_dist: Any) -> float:
        ours = float(tree_distance(first, second, label_dist))
        distances.append((ours, float(zss.simple_distance(first, second, label_dist=label_dist))))
        return ours

    @given(JSON, JSON, JSON)
    @settings(max_examples=60)
    def measure(same: Any, one: Any, other: Any) -> None:
        dataset._compute_json_similarity({"root": [same, one]}, {"root": [same, other]})

    dataset = codeio.CodeIODataset.__new__(codeio.CodeIODataset)  # this needs no data
    parts = SimpleNamespace(Node=zss.Node, simple_distance=compare)
    monkeypatch.setattr(codeio, "zss", parts)
    measure()
    assert [ours for ours, _ in distances] == [theirs for _, theirs in distances]
    assert len(set(distances)) > 5  # not all are 0


@pytest.mark.parametrize("labels", [["1"] * 9_000, ["b" * 30_000]], ids=["nodes", "characters"])
def test_large_trees_are_rejected_quickly(labels: list[str]) -> None:
    tree = zss.Node("root", [zss.Node(label) for label in labels])
    with processor_seconds(1.0), pytest.raises(Rejected, match="JSON trees of"):
        tree_distance(tree, tree, lambda a, b: float(a != b))
