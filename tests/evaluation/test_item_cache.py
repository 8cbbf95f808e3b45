"""rgenv/evaluation/item_cache.py: the evaluation set on disk."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from rgenv.evaluation.item_cache import ItemCache, cache_folder, digest, item_id
from rgenv.text import level_name
from rgenv.types import Problem

ITEMS = [
    Problem("gcd", 7, None, {}, "What?", "14"),
    Problem("gcd", 7, 0.5, {"size": [1, 2]}, "Half?", "é\ud800"),
    Problem("rush_hour", 9, 0.0, {}, "Move?", None),
]


def test_what_was_stored_is_loaded(tmp_path: Path) -> None:
    """Every field of every item, in order, also answers that are None or no proper text."""
    cache = ItemCache(tmp_path / "new" / "folder")
    assert cache.load("k") is None
    cache.store("k", ITEMS)
    assert cache.load("k") == ITEMS
    assert [path.name for path in (tmp_path / "new" / "folder").iterdir()] == ["k.json"]


def test_the_key_is_what_defines_the_items() -> None:
    """Any part of the definition changes it, the order of the parts does not."""
    cache = ItemCache(Path("unused"))
    key = cache.key("gcd", items=5, levels=[None])
    assert key == cache.key("gcd", levels=[None], items=5)
    others = [
        cache.key("lcm", items=5, levels=[None]),
        cache.key("gcd", items=6, levels=[None]),
        cache.key("gcd", items=5, levels=[0.0]),
    ]
    assert len({key, *others}) == 4


@pytest.mark.parametrize(
    "damage", ["", "{", "[]", '{"items": [{"task": "gcd"}]}', '{"digest": "0", "items": []}']
)
def test_a_damaged_file_is_as_good_as_none(
    tmp_path: Path, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The items are made again, and the log says why."""
    (tmp_path / "k.json").write_text(damage)
    assert ItemCache(tmp_path).load("k") is None
    assert "made again" in caplog.text


def test_a_changed_file_is_not_believed(tmp_path: Path) -> None:
    """Somebody who edits a question does not change what models are compared on."""
    cache = ItemCache(tmp_path)
    cache.store("k", ITEMS)
    content = json.loads((tmp_path / "k.json").read_text())
    content["items"][0]["answer"] = "15"
    (tmp_path / "k.json").write_text(json.dumps(content))
    assert cache.load("k") is None


def test_a_disk_that_refuses_costs_nothing_but_time(tmp_path: Path) -> None:
    """The set is made again next time."""
    (tmp_path / "file").touch()
    cache = ItemCache(tmp_path / "file")
    cache.store("k", ITEMS)
    assert cache.load("k") is None


def test_the_digest_is_that_of_the_set() -> None:
    """It changes with any prompt or answer, not with the order."""
    whole = digest(ITEMS)
    assert whole == digest(reversed(ITEMS)) and len(whole) == 16
    assert whole != digest(ITEMS[:2])
    assert whole != digest([replace(ITEMS[0], answer="15"), *ITEMS[1:]])
    assert whole != digest([replace(ITEMS[0], question="Why?"), *ITEMS[1:]])


def test_items_have_names() -> None:
    """Task, seed and level, the same in every run."""
    assert [item_id(item) for item in ITEMS] == ["gcd/7/none", "gcd/7/0.5", "rush_hour/9/0"]
    assert level_name(1.0) == "1"


def test_the_users_cache_is_the_default(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Unless a folder is configured."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder(None) == tmp_path / "reasoning_gym_environment"
    assert cache_folder("here") == Path("here")
