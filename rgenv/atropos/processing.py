"""What Atropos' loop of `process` does and this environment leaves out.

::

    with without_page():
        await atropos_loop()

At its end Atropos writes an HTML page of all groups, in which the text of the model is live markup:
scripts in a completion would run in the browser of whoever looks at it.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator

from atroposlib.envs import base as atropos_base

log = logging.getLogger("ReasoningGymEnv")


@contextlib.contextmanager
def without_page() -> Iterator[None]:
    """Keep Atropos from writing its page within this context."""

    def leave_out(path: str) -> None:
        log.info("To read the groups: python -m json.tool --json-lines %s", path)

    before = atropos_base.generate_html
    atropos_base.generate_html = leave_out
    try:
        yield
    finally:
        atropos_base.generate_html = before
