"""rgenv/catalog/entries.py: what is known about each task."""

import importlib.metadata
from dataclasses import replace
from pathlib import Path

import pytest

from rgenv.catalog import entries as module
from rgenv.catalog.entries import Entry, Library, entries, installed
from rgenv.gym import settings
from rgenv.measured import RELEASE, TASKS, Health, PromptTokens
from rgenv.task_names import KNOWN_TASKS
from tests.support.altered_library import altered_library

TOKENS = PromptTokens(130, 140)
FOUND = {
    "gcd": Health("binary", 40, TOKENS, {None: TOKENS, 0.5: TOKENS}, {}, {}),
    "acre": Health("partial", 20, TOKENS, {None: TOKENS}, {"tell": "few answers"}, {}),
}
TABLE = {task: replace(TASKS[task], health=one) for task, one in FOUND.items()}
LIBRARY = Library("0.2.0", {"gcd": "arithmetic", "acre": "induction", "later": "games"})


def known(**states: str) -> dict[str, Entry]:
    """Return the entries of three tasks, some of them not as they were measured."""
    library = Library(LIBRARY.version, LIBRARY.categories, states)
    return {one.task: one for one in entries(library, TABLE, library.categories)}


def test_what_was_measured_is_known() -> None:
    """Levels are those with a number; health is that of the validation."""
    found = known()
    assert found["gcd"].levels == [0.5] and found["gcd"].health == "healthy"
    assert found["acre"].levels == [] and found["acre"].health == "known: tell"


def test_nothing_is_claimed_of_another_source() -> None:
    """A changed task keeps its description, a new one has its name alone; neither was checked."""
    found = known(gcd="changed", later="new")
    assert found["gcd"].about and found["gcd"].measured is None and found["gcd"].levels == []
    assert found["gcd"].health == "not checked: another source"
    assert (found["later"].about, found["later"].kind) == ("", "")
    assert found["later"].health == "not checked: a new task"


def refuse(*_: object) -> Library:
    raise AssertionError("a worker was asked")


def test_the_measured_release_needs_no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its tasks are known, and nothing is started to list them."""
    monkeypatch.setattr(module, "asked", refuse)
    assert installed() == Library(RELEASE, KNOWN_TASKS)


@pytest.mark.parametrize("version", ["0.2.0", None])
def test_of_another_release_a_worker_is_asked(
    monkeypatch: pytest.MonkeyPatch, version: str | None
) -> None:
    """So it is if the release can't be told."""

    def found(name: str) -> str:
        if version is None:
            raise importlib.metadata.PackageNotFoundError(name)
        return version

    other = Library("0.2.0", {"later": "games"}, {"later": "new"})
    monkeypatch.setattr(module, "asked", lambda: other)
    monkeypatch.setattr(importlib.metadata, "version", found)
    assert installed() == other


@pytest.mark.slow
def test_a_worker_tells_what_another_library_has(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Tasks that are new, changed or gone are those of the library that would be used."""
    folder = str(altered_library(tmp_path))
    monkeypatch.setattr(module, "checkout_path", lambda: folder)
    monkeypatch.setattr(settings, "checkout_path", lambda: folder)
    library = installed()
    assert "doubling" in library.categories and "kakurasu" not in library.categories
    assert (library.states["doubling"], library.states["gcd"]) == ("new", "changed")
    assert "lcm" not in library.states
