"""rgenv/cli/task_entries.py: which tasks are installed."""

import importlib.metadata
from pathlib import Path

import pytest

from rgenv.cli import task_entries as module
from rgenv.cli.task_entries import Library, installed
from rgenv.gym import settings
from rgenv.measured import RELEASE
from rgenv.pool import library as library_module
from rgenv.task_names import KNOWN_TASKS
from tests.support.altered_library import altered_library


def test_the_measured_release_needs_no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its tasks are known, and nothing is started to list them."""
    monkeypatch.setattr(module, "asked", lambda: pytest.fail("a worker was asked"))
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
    monkeypatch.setattr(library_module, "checkout_path", lambda: folder)
    monkeypatch.setattr(settings, "checkout_path", lambda: folder)
    library = installed()
    assert "doubling" in library.categories and "kakurasu" not in library.categories
    assert (library.states["doubling"], library.states["gcd"]) == ("new", "changed")
    assert "lcm" not in library.states
