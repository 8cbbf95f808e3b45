"""Let programs call an environment's coroutine methods from any event loop.

Frameworks such as ROLL start a new event loop for each call. Child processes, timers and locks
belong to the loop that created them, so the environment then runs in one background loop.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

Method = TypeVar("Method", bound=Callable[..., Coroutine[Any, Any, Any]])


def from_any_loop(method: Method) -> Method:
    """Run a coroutine method in the `background_loop` of its object, if there is one."""

    @functools.wraps(method)
    async def wrapped(self: Any, *args: Any, **kwargs: Any) -> Any:
        bound = functools.partial(method, self)
        if self.background_loop is None:
            return await bound(*args, **kwargs)
        return await self.background_loop.hosting(bound)(*args, **kwargs)

    return wrapped  # type: ignore[return-value]  # has the signature of `method`, which mypy can't infer
