"""Samples as the evaluation saves them."""

from typing import Any

from hypothesis import strategies as st

from rgenv.task_names import KNOWN_TASKS
from rgenv.text import level_name
from rgenv.types import Sample


def sample(
    task: str = "gcd",
    seed: int = 0,
    score: float | None = 1.0,
    *,
    index: int = 0,
    level: float | None = None,
    text: str = "so <answer>13</answer>",
    **other: Any,
) -> Sample:
    """Return one sample; with a score of None, one whose requests failed."""
    question = other.get("question", f"{task} {seed}?")
    made: Sample = {
        "id": f"{task}/{seed}/{level_name(level)}/{index}",
        "task": task,
        "category": KNOWN_TASKS[task],
        "level": level,
        "seed": seed,
        "sample": index,
        "recipe": {"task": task, "config": {}, "seed": seed},
        "question": question,
        "gold_answer": "12",
        "gold_parsed": "12",
    }
    if score is None:
        return {**made, "error": "no reply", **other}
    return {
        **made,
        "messages": [
            {"role": "user", "content": question},
            {"role": "assistant", "content": text},
        ],
        "model_parsed": "13",
        "response_after_think": text,
        "score": score,
        "correct": score >= 0.99,
        "verdict": "scored",
        "finish_reason": "stop",
        "completion_tokens": 10,
        **other,
    }


def run_of(*scores: float, task: str = "gcd") -> list[Sample]:
    return [sample(task, seed, score) for seed, score in enumerate(scores)]


sample_runs = st.lists(
    st.builds(
        sample,
        st.sampled_from(["gcd", "lcm", "maze"]),
        st.integers(0, 1),
        st.sampled_from([None, 0.0, 0.01, 0.3, 0.5, 0.98, 0.99, 1.0]),
        index=st.integers(0, 4),
        level=st.sampled_from([None, 0.0, 0.5]),
        verdict=st.sampled_from(["scored", "no_answer", "timeout"]),
        finish_reason=st.sampled_from(["stop", "length"]),
        completion_tokens=st.integers(1, 5000) | st.none(),
    ),
    max_size=40,
    unique_by=lambda made: made["id"],
)
"""Runs of two problems for each of three tasks at three levels; some samples have failed."""
