"""rgenv/dataset/filters.py: repeated prompts, frequent reference answers."""

import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from rgenv.dataset.filters import (
    EXHAUSTED_AFTER,
    MAX_PROMPTS_A_TASK,
    AnswerBalance,
    PromptFilter,
)


def through_json(state: Any) -> Any:
    return json.loads(json.dumps(state))


def test_a_task_without_new_prompts_is_exhausted_until_a_new_one_is_added() -> None:
    """The state of exhaustion is part of the saved state."""
    prompts, restored = PromptFilter(), PromptFilter()
    prompts.add("gcd", 1)
    judged = [prompts.judge("gcd", 1) for _ in range(EXHAUSTED_AFTER + 1)]
    assert judged == ["repeated"] * (EXHAUSTED_AFTER - 1) + ["exhausted"] * 2
    prompts.settle()
    restored.load_state_dict(through_json(prompts.state_dict()))
    assert restored.judge("gcd", 1) == "exhausted"
    prompts.add("gcd", 2)
    assert prompts.judge("gcd", 1) == "repeated"


def test_a_state_between_two_attempts_does_not_count_the_first() -> None:
    """What was judged for a problem becomes part of the state with its last attempt."""
    prompts = PromptFilter()
    prompts.add("gcd", 1)
    before = prompts.state_dict()
    prompts.judge("gcd", 1)
    assert prompts.state_dict() == before
    prompts.settle()
    assert prompts.state_dict() != before


def test_adding_a_known_prompt_does_not_reset_the_count_of_known_prompts() -> None:
    """Repetitions that are served do not hide that a task is exhausted."""
    prompts = PromptFilter()
    prompts.add("gcd", 1)
    for _ in range(EXHAUSTED_AFTER - 1):
        assert prompts.judge("gcd", 1) == "repeated"
        prompts.add("gcd", 1)
    assert prompts.judge("gcd", 1) == "exhausted"


def test_the_memory_of_prompts_is_bounded_and_drops_the_oldest() -> None:
    """Beyond the limit of a task its first prompts count as new again."""
    prompts = PromptFilter()
    for prompt in range(MAX_PROMPTS_A_TASK + 10):
        prompts.add("gcd", prompt)
    assert prompts.judge("gcd", 9) == "new" and prompts.judge("gcd", 10) == "repeated"


def served_answers(balance: AnswerBalance, draw: Callable[[], str], count: int) -> list[str]:
    """The answers of a stream that makes up to 64 attempts to avoid a frequent answer."""
    out = []
    while len(out) < count:
        for _attempt in range(64):
            answer = draw()
            if not balance.is_frequent("t", answer):
                break
        balance.add("t", answer)
        out.append(answer)
    return out


@pytest.mark.parametrize("share", [0.1, 0.5, 0.71, 0.9])
def test_no_answer_comes_more_than_11_times_in_20_problems(share: float) -> None:
    """The limit holds in every window, however biased the generator is."""
    rng = random.Random(1)
    answers = served_answers(AnswerBalance(), lambda: "yes" if rng.random() < share else "no", 1000)
    counts = [answers[i : i + 20].count("yes") for i in range(981)]
    assert min(counts) >= 9 and max(counts) <= 11


def test_each_task_has_its_own_counts_and_a_missing_answer_is_not_counted() -> None:
    """Answers of one task do not limit another; problems without an answer are never limited."""
    balance = AnswerBalance()
    for _ in range(30):
        balance.add("a", "1")
        balance.add("c", None)
    assert balance.is_frequent("a", "1")
    assert not balance.is_frequent("b", "1") and not balance.is_frequent("c", None)
