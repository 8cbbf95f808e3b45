"""Tests of rgenv/evaluation/cost.py."""

from rgenv.evaluation.cost import cost
from rgenv.types import Problem
from tests.support.rollouts import problem


async def test_the_cost_has_requests_and_tokens() -> None:
    """Prompts count once for each request; completions at most to their limit."""
    measured: list[str] = []

    async def count_tokens(asked: Problem) -> int:
        measured.append(asked.question)
        return len(asked.question)

    short, long = problem(question="ab"), problem(question="x" * 1000)
    line = await cost([short, short, long], count_tokens, {"max_tokens": 2000})
    assert line == (
        "3 requests: about 1,004 tokens of prompts and at most 6,000 of completions (2,000 each)."
    )
    assert measured == ["ab", "x" * 1000]
    unlimited = await cost([short], count_tokens, {"max_tokens": None})
    assert unlimited == "1 requests: about 2 tokens of prompts and completions of any length."
