"""The guard that answers pass before they reach a verifier."""

from collections.abc import Iterator

import pytest

from rgenv.worker import guard


@pytest.fixture(scope="module")
def guarded() -> Iterator[None]:
    """Install the guard, as in a worker."""
    guard.install()
    yield
    guard.take_rejection()
