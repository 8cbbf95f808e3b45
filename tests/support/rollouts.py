"""Problems and rollouts that a test makes by hand."""

from collections.abc import Sequence
from typing import Any

from rgenv.rollouts.group import score_group
from rgenv.types import Group, Problem, Rollout, Verdict


def problem(
    seed: int = 7, task: str = "gcd", level: float | None = None, **changes: Any
) -> Problem:
    """Return a problem whose question names its recipe; its reference answer is "2"."""
    values = {"config": {}, "question": f"{task} {seed} {level}?", "answer": "2", **changes}
    return Problem(task, seed, level, **values)


def rollout(asked: Problem, text: str = "<answer>2</answer>", **changes: Any) -> Rollout:
    """Return a rollout of three tokens, two of them written by the model."""
    answer, violation = asked.dialogue.reading.answer_or_violation(text)
    values = {
        "messages": (
            {"role": "user", "content": asked.question},
            {"role": "assistant", "content": text},
        ),
        "answer": answer,
        "violation": violation,
        "prompt": f"{asked.question}\n",
        "tokens": [1, 2, 3],
        "masks": [-100, 2, 3],
        "logprobs": [1.0, -0.1, -0.2],
        "finish_reason": "stop",
        "budget": 100,
        **changes,
    }
    return Rollout(problem=asked, text=text, **values)


def group(asked: Problem, verdicts: Sequence[Verdict | float], **changes: Any) -> Group:
    """Return a group with these verdicts; a number is the score of a scored answer."""
    return score_group(
        [rollout(asked, **changes) for _ in verdicts],
        [v if isinstance(v, Verdict) else Verdict(v, "scored", v, v) for v in verdicts],
    )
