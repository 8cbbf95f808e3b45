"""What a server replies to one request for a completion."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rgenv.types import Message

Instead = Literal["refused", "tool_call", "empty"]
"""What a chat server may return in place of a completion; a kind of verdict, too."""


@dataclass(frozen=True)
class Reply:
    """One completion as an inference server returned it.

    Attributes:
        tokens: length of the completion; None if the server does not report it.
        reasoning: what the server returned beside the completion; it is never scored.
        instead: what `text` is if the server returned no completion; it is not scored then.
    """

    messages: Sequence[Message]
    text: str
    finish_reason: str
    tokens: int | None = None
    reasoning: str = ""
    instead: Instead | None = None
