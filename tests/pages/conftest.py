"""Fixtures of the tests in a browser."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.browser import Opened, browser, opened


@pytest.fixture(scope="module")
def started() -> Iterator[Any]:
    with browser() as running:
        yield running


@pytest.fixture
def view(started: Any, run_page: Path) -> Iterator[Opened]:
    """The page of the file's run; after the test nothing may have gone wrong on it."""
    found = opened(started, run_page)
    yield found
    assert found.trouble == []
    found.page.close()
