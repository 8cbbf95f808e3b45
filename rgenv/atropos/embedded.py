"""Calls from any event loop, for programs that drive an environment call by call.

Frameworks that are not Atropos, ROLL for one, start a new event loop for each call. Child
processes, timers and locks belong to the loop that made them, so such an environment lives in a
loop of its own.
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

    return wrapped  # type: ignore[return-value]  # the same signature, which mypy can't express
