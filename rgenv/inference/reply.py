"""What a server replies to one request for a completion, and the word for how that ended."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rgenv.types import Message

Instead = Literal["refused", "tool_call", "empty"]
"""What a chat server may return in place of a completion; a kind of verdict, too."""

CUT = "length max_tokens max_output_tokens model_length model_context_window_exceeded"
REFUSED = "content_filter refusal safety recitation prohibited_content sensitive"
FAILED = "error abort aborted failed server_error cancelled timeout time_limit network_error"

ENDINGS = {
    **dict.fromkeys(CUT.split(), "length"),
    **dict.fromkeys(REFUSED.split(), "content_filter"),
    **dict.fromkeys(FAILED.split(), "error"),
}
"""The words of engines, providers and gateways -> OpenAI's name."""


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


def ending(reason: Any) -> Any:
    """Return a finish reason under OpenAI's name; "error": the server failed, not the model.

    Other words stay, in lower case.
    """
    if not isinstance(reason, str):
        return reason
    word = reason.lower().replace("-", "_")
    return ENDINGS.get(word, word)
