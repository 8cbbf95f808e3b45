"""rgenv/prompts.py: the messages that ask a question."""

from rgenv.prompts import build_messages


def test_messages_are_the_system_prompt_and_the_question() -> None:
    """The system prompt names both tags; the user message is the unchanged question."""
    system, user = build_messages("How many?")
    assert user == {"role": "user", "content": "How many?"}
    assert system["role"] == "system"
    assert "<think>" in system["content"] and "<answer>" in system["content"]
