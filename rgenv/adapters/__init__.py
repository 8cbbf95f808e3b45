"""The problems and rewards in other trainers: one file for each, which imports its framework.

docs/trainers.md compares them and shows how to use each; examples/trainers/ has programs.
"""

import functools
import json
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")


def shared(kind: Callable[..., T], **settings: Any) -> T:
    """Return the gym that this process has for these settings; its workers start when asked."""
    found: T = _made(kind, json.dumps(settings, sort_keys=True, default=list))
    return found


@functools.cache
def _made(kind: Callable[..., Any], settings: str) -> Any:
    return kind(**json.loads(settings))
