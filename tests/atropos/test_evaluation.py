"""rgenv/atropos/evaluation.py: where the results of an evaluation go."""

from pathlib import Path
from typing import Any

from rgenv.atropos.evaluation import evaluation_folder


def test_without_a_folder_each_definition_has_its_own() -> None:
    """It is in `evals` and has the name of the model."""

    def folder(**about: Any) -> Path:
        found = evaluation_folder(None, {"step": None, "model": "a/B 1.5", **about}, always=True)
        assert found is not None and found.parent == Path("evals") and len(found.name) < 80
        return found

    assert folder() == folder() != folder(limit=3)
    assert folder().name.startswith("a-B-1.5-")
    assert folder(model="../../etc/" + "x" * 300)
