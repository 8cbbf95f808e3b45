"""rgenv/stream/filters.py: repeated prompts, frequent reference answers."""

from rgenv.stream.filters import EXHAUSTED_AFTER, MAX_PROMPTS_A_TASK, AnswerBalance, PromptFilter


def test_adding_a_known_prompt_does_not_reset_the_count_of_known_prompts() -> None:
    """Repetitions that are served do not hide that a task is exhausted."""
    prompts = PromptFilter()
    prompts.add("gcd", 1)
    for _ in range(EXHAUSTED_AFTER - 1):
        assert prompts.is_repeated("gcd", 1)
        prompts.add("gcd", 1)
    assert not prompts.is_repeated("gcd", 1)


def test_the_memory_of_prompts_is_bounded_and_drops_the_oldest() -> None:
    """Beyond the limit of a task its first prompts count as new again."""
    prompts = PromptFilter()
    for prompt in range(MAX_PROMPTS_A_TASK + 10):
        prompts.add("gcd", prompt)
    again = PromptFilter()
    again.load(*prompts.state())
    for each in (prompts, again):
        assert [each.is_repeated("gcd", prompt) for prompt in (9, 10)] == [False, True]


def test_each_task_has_its_own_counts_and_a_missing_answer_is_not_counted() -> None:
    """Answers of one task do not limit another; problems without an answer are never limited."""
    balance = AnswerBalance()
    for _ in range(30):
        balance.add("a", "1")
        balance.add("c", None)
    assert balance.is_frequent("a", "1")
    assert not balance.is_frequent("b", "1") and not balance.is_frequent("c", None)
