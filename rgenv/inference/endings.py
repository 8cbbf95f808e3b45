"""How completions end, in the words of engines, providers and gateways."""

from typing import Any

TABLE = (
    # source: API reference or source code; the words for cut, for refused, and for failed
    ("OpenAI, Azure", "length", "content_filter", ""),
    ("OpenAI's Responses", "max_output_tokens", "", "failed server_error cancelled"),
    ("OpenRouter, LiteLLM, LMDeploy", "length", "content_filter", "error abort"),
    ("vLLM, SGLang", "length", "", "error abort"),
    ("TensorRT-LLM", "length", "", "timeout cancelled"),
    ("llama.cpp", "length limit", "", ""),
    ("Anthropic", "max_tokens model_context_window_exceeded", "refusal", ""),
    ("Bedrock", "max_tokens length", "content_filtered guardrail_intervened", ""),
    ("Gemini", "max_tokens", "safety recitation blocklist prohibited_content spii model_armor", ""),
    ("Cohere", "max_tokens error_limit", "error_toxic", "error user_cancel timeout"),
    ("Mistral", "length model_length", "", "error"),
    ("DeepSeek", "length", "content_filter", "insufficient_system_resource aborted"),
    ("Z.AI", "length model_context_window_exceeded", "sensitive", "network_error"),
    ("DashScope", "length", "", "null"),
    ("watsonx", "max_tokens token_limit", "", "not_finished cancelled time_limit error"),
    ("xAI", "max_len max_context", "", "time_limit"),
)

NAMES = {
    word: name
    for row in TABLE
    for name, words in zip(("length", "content_filter", "error"), row[1:], strict=True)
    for word in words.split()
}


def ending(reason: Any) -> Any:
    """Return a finish reason under OpenAI's name, or "error" where the server failed.

    The model has not answered then, rightly or wrongly. A word that the table lacks stays, in lower
    case, as does what is not a text.
    """
    if not isinstance(reason, str):
        return reason
    word = reason.lower().replace("-", "_").removeprefix("reason_")
    return NAMES.get(word, word)
