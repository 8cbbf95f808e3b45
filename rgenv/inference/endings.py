"""How completions end, in the words of engines, providers and gateways."""

from typing import Any

CUT = "length max_tokens max_output_tokens model_length model_context_window_exceeded"
REFUSED = "content_filter refusal safety recitation prohibited_content sensitive"
FAILED = "error abort aborted failed server_error cancelled timeout time_limit network_error"

NAMES = {
    **dict.fromkeys(CUT.split(), "length"),
    **dict.fromkeys(REFUSED.split(), "content_filter"),
    **dict.fromkeys(FAILED.split(), "error"),
}
"""The words of others -> OpenAI's name."""


def ending(reason: Any) -> Any:
    """Return a finish reason under OpenAI's name, or "error" where the server failed.

    The model has not answered then, rightly or wrongly. Other words stay, in lower case.
    """
    if not isinstance(reason, str):
        return reason
    word = reason.lower().replace("-", "_")
    return NAMES.get(word, word)
