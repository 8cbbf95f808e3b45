"""Problems that tests make in this process take as little time as in a worker."""

from collections.abc import Iterator

import pytest

from tests.support.library import replace_slow_functions


@pytest.fixture(scope="module", autouse=True)
def _fast_library() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        replace_slow_functions(patch)
        yield
