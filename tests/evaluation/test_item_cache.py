import shutil
from pathlib import Path

import pytest

from rgenv.evaluation.item_cache import PACKAGE, ItemCache, digest_of, scoring_version
from rgenv.types import Problem

PROBLEMS = [
    Problem("gcd", 7, None, {}, "What?", "14"),
    Problem("gcd", 7, 0.5, {"size": [1, 2]}, "Half?", "é\ud800"),
    Problem("rush_hour", 9, 0.0, {}, "Move?", None),
]


def test_stored_problems_are_loaded_unchanged(tmp_path: Path) -> None:
    """Fields and order are kept, also answers that are None or hold a lone surrogate."""
    cache = ItemCache(tmp_path / "new" / "folder")
    assert cache.load("k") is None
    cache.store("k", PROBLEMS)
    assert cache.load("k") == PROBLEMS
    assert [path.name for path in (tmp_path / "new" / "folder").iterdir()] == ["k.json"]


def test_the_key_depends_on_every_part_of_the_definition() -> None:
    """The order of the parts does not matter."""
    cache = ItemCache(Path("unused"))
    key = cache.key("gcd", items=5, levels=[None])
    assert key == cache.key("gcd", levels=[None], items=5)
    others = [
        cache.key("lcm", items=5, levels=[None]),
        cache.key("gcd", items=6, levels=[None]),
        cache.key("gcd", items=5, levels=[0.0]),
    ]
    assert len({key, *others}) == 4


@pytest.mark.parametrize("damage", ["", "{", "[1]", '[{"task": "gcd"}]', '{"items": []}'])
def test_a_damaged_file_counts_as_missing(
    tmp_path: Path, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Nothing is loaded, and the log says why."""
    (tmp_path / "k.json").write_text(damage)
    assert ItemCache(tmp_path).load("k") is None
    assert "made again" in caplog.text


def test_the_version_changes_with_the_code_that_scores(tmp_path: Path) -> None:
    """A changed verifier is another version, a changed metric is not."""
    copy = tmp_path / "rgenv"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    assert digest_of(copy) == scoring_version()
    (copy / "rollouts" / "metrics.py").write_text("# changed\n")
    assert digest_of(copy) == scoring_version()
    seen = {scoring_version()}
    for file in ("worker/scoring.py", "tasks/answers/numbers.py", "dialogue/reading.py"):
        (copy / file).write_text("# changed\n")
        seen.add(digest_of(copy))
    assert len(seen) == 4
