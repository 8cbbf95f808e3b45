"""Do long work in pieces, one in each round of the event loop, so that everything else goes on.

A thread would not help: a decoder in C holds the interpreter until it is done. What takes more than
a few milliseconds must come in parts.
"""

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar
from weakref import WeakKeyDictionary

P = ParamSpec("P")
T = TypeVar("T")

_turns: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()
"""One for each event loop: many tasks with a piece each would hold a round as one with all."""


async def in_turn(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Return what `work` returns, when it is its turn; the next piece has the next round."""
    async with _turns.setdefault(asyncio.get_running_loop(), asyncio.Lock()):
        done = work(*args, **kwargs)
        await asyncio.sleep(0)
        return done
