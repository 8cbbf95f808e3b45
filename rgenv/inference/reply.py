"""What a server replies to one request for a completion, and the word for how that ended."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rgenv.types import Message

Instead = Literal["refused", "tool_call", "empty"]
"""What a chat server may return in place of a completion; a kind of verdict, too."""

ENDINGS = {
    "length": "length max_tokens max_output_tokens model_length model_context_window_exceeded",
    "content_filter": "content_filter refusal safety recitation prohibited_content sensitive",
    "error": "error abort aborted failed server_error cancelled timeout time_limit network_error",
}
"""OpenAI's name -> the words of engines, providers and gateways."""


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
    return next((name for name, words in ENDINGS.items() if word in words.split()), word)
