"""rgenv/stream/filters.py: repeated prompts."""

from rgenv.stream.filters import EXHAUSTED_AFTER, MAX_PROMPTS_A_TASK, PromptFilter


def test_a_task_without_new_prompts_is_exhausted() -> None:
    """Repetitions that are served do not hide it."""
    prompts = PromptFilter()
    prompts.add("gcd", 1)
    for _ in range(EXHAUSTED_AFTER - 1):
        assert prompts.is_repeated("gcd", 1)
        prompts.add("gcd", 1)
    assert not prompts.is_repeated("gcd", 1)


def test_the_memory_of_prompts_is_bounded_and_drops_the_oldest() -> None:
    prompts = PromptFilter()
    for prompt in range(MAX_PROMPTS_A_TASK + 10):
        prompts.add("gcd", prompt)
    again = PromptFilter()
    again.load(*prompts.state())
    for each in (prompts, again):
        assert [each.is_repeated("gcd", prompt) for prompt in (9, 10)] == [False, True]
