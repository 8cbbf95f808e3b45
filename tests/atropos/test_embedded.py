"""rgenv/atropos/embedded.py: calls from any event loop."""

import asyncio
from typing import Any

import pytest

from rgenv.atropos.embedded import from_any_loop
from rgenv.runtime.background_loop import BackgroundLoop


class Embedded:
    """An object whose methods belong to its background loop, if it has one."""

    def __init__(self, background_loop: BackgroundLoop | None) -> None:
        self.background_loop = background_loop

    @from_any_loop
    async def loop_and(self, *args: int, **kwargs: int) -> tuple[Any, int]:
        """Return the running loop and a sum."""
        return asyncio.get_running_loop(), sum(args) + sum(kwargs.values())

    @from_any_loop
    async def nested(self) -> tuple[Any, int]:
        """Call another method of the object."""
        return await self.loop_and(1)

    @from_any_loop
    async def fail(self) -> None:
        """Raise."""
        raise KeyError("not scripted")


def test_every_call_runs_in_the_background_loop() -> None:
    """Arguments and results are passed on, whichever loop awaits the call."""
    background = BackgroundLoop()
    embedded = Embedded(background)
    for _ in range(2):
        assert asyncio.run(embedded.loop_and(1, 2, more=3)) == (background.loop, 6)
        assert asyncio.run(embedded.nested()) == (background.loop, 1)


def test_errors_reach_the_caller() -> None:
    """An exception of the method is raised in the caller's loop."""
    with pytest.raises(KeyError, match="not scripted"):
        asyncio.run(Embedded(BackgroundLoop()).fail())


async def test_without_a_background_loop_the_callers_is_used() -> None:
    """Without a background loop the method runs in the caller's loop."""
    loop = asyncio.get_running_loop()
    assert await Embedded(None).loop_and(1, more=1) == (loop, 2)
    with pytest.raises(KeyError, match="not scripted"):
        await Embedded(None).fail()


def test_a_method_keeps_its_name_and_documentation() -> None:
    """Help shows the method, not the wrapper."""
    assert Embedded.loop_and.__name__ == "loop_and"
    assert Embedded.loop_and.__doc__ == "Return the running loop and a sum."
