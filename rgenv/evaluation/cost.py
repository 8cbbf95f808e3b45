"""What an evaluation may cost, in requests and tokens, before it begins.

::

    await cost(problems, policy.prompt_tokens, {"max_tokens": 4096})
    # "525 requests: about 98,000 tokens of prompts and at most 2,150,400 of completions (...)."
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from rgenv.types import Problem

CountTokens = Callable[[Problem], Awaitable[int]]
"""Returns the length of the prompt of a problem in tokens."""


async def cost(
    problems: Sequence[Problem], count_tokens: CountTokens, about: Mapping[str, Any]
) -> str:
    """Return a sentence with the numbers of requests and tokens.

    Args:
        problems: one for each request.
        about: what defines the evaluation, with `max_tokens` of a completion; None: no limit.
    """
    requests = Counter(problem.prompt for problem in problems)
    prompts = 0
    for problem in {problem.prompt: problem for problem in problems}.values():
        prompts += requests[problem.prompt] * await count_tokens(problem)
        await asyncio.sleep(0)
    sizes = f"{len(problems):,} requests: about {prompts:,} tokens of prompts and"
    each = about["max_tokens"]
    if each is None:
        return f"{sizes} completions of any length."
    return f"{sizes} at most {len(problems) * each:,} of completions ({each:,} each)."
