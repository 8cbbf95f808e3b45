"""The prompt: a system message that asks for thinking and one answer, and the question."""

from __future__ import annotations

SYSTEM_PROMPT = (
    "You solve reasoning problems. First think the problem through, step by step and for as long "
    "as it takes, inside <think> and </think> tags. When you are done thinking, state the "
    "solution: write exactly one final answer inside <answer> and </answer> tags, in the format "
    "that the problem asks for and with nothing else inside the tags. Text around the answer tags "
    "is allowed; a second pair of answer tags, or none, makes the solution invalid."
)


def build_messages(question: str) -> list[dict[str, str]]:
    """Return the conversation that asks `question`: a system message and a user message."""
    return [
        {"role": "system", "content": SYSTEM_PROMPT},
        {"role": "user", "content": question},
    ]
