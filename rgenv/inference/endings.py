"""How completions end, in the words of engines, providers and gateways."""

from typing import Any

WORDS = {
    "length": """
        length max_tokens max_output_tokens max_len max_context model_length
        model_context_window_exceeded token_limit error_limit limit
    """,
    "content_filter": """
        content_filter content_filtered guardrail_intervened refusal safety recitation blocklist
        prohibited_content spii model_armor error_toxic sensitive
    """,
    "error": """
        error abort aborted failed server_error cancelled user_cancel timeout time_limit null
        not_finished network_error insufficient_system_resource
    """,
}
"""OpenAI's name -> the words of others for it: vLLM, SGLang, TensorRT-LLM, llama.cpp, OpenRouter,
Anthropic, Bedrock, Gemini, Cohere, Mistral, DeepSeek, Z.AI, DashScope, watsonx and xAI."""

NAMES = {word: name for name, words in WORDS.items() for word in words.split()}


def ending(reason: Any) -> Any:
    """Return a finish reason under OpenAI's name, or "error" where the server failed.

    The model has not answered then, rightly or wrongly. Other words stay, in lower case, as does
    what is not a text.
    """
    if not isinstance(reason, str):
        return reason
    word = reason.lower().replace("-", "_").removeprefix("reason_")
    return NAMES.get(word, word)
