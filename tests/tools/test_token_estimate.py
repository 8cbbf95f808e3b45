"""tools/token_estimate.py: about how many tokens a text has."""

import pytest

from rgenv.pool.pool import WorkerPool
from tools.token_estimate import estimated_tokens

pytestmark = pytest.mark.slow

COUNTED = {"gcd": 34, "decimal_arithmetic": 60, "rotate_matrix": 201, "number_sorting": 206}
COUNTED |= {"acre": 218, "knight_swap": 236, "figlet_font": 89, "emoji_mystery": 542}
"""Task -> the tokens that the tokenizer of Qwen 2.5 makes of its first default question."""


async def test_the_estimate_is_near_what_a_tokenizer_counts(pool: WorkerPool) -> None:
    for task, tokens in COUNTED.items():
        problem = await pool.make(task, 0, select=True)
        assert abs(estimated_tokens(problem.question) - tokens) <= tokens / 5, task
