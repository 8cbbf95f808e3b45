"""A limit of processor time, for tests of what must not take long."""

import contextlib
import gc
import time
from collections.abc import Iterator


@contextlib.contextmanager
def processor_seconds(limit: float, what: str = "it") -> Iterator[None]:
    """Fail if the block takes more; a collection of the garbage of all tests is no part of it."""
    gc.disable()
    began = time.process_time()
    try:
        yield
        took = time.process_time() - began
    finally:
        gc.enable()
    assert took < limit, f"{what} took {took:.2f} seconds of processor time"
