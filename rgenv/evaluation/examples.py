"""Choosing failed and solved samples for a report."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass

from rgenv.evaluation.html_page import shortened
from rgenv.evaluation.results import problem_id_of
from rgenv.text import level_name
from rgenv.types import SOLVED, Sample

PER_CATEGORY = 10
SUCCESSES = 5
"""Examples of a category: failures, and successes."""


@dataclass(frozen=True)
class Example:
    """A sample as texts for a report, long ones shortened; `ending` is length and finish reason."""

    problem_id: str
    task: str
    level: str
    seed: str
    verdict: str
    score: str
    ending: str
    question: str
    answer: str
    reference_answer: str
    completion: str


@dataclass(frozen=True)
class Examples:
    total: int
    chosen: list[Example]


def failures(samples: Iterable[Sample], *, each: int = PER_CATEGORY) -> dict[str, Examples]:
    """Choose up to `each` failures from each category.

    The first ones come from different tasks, the next ones are their second failures, and so on.
    Among those, wrong answers precede missing answers, rejected or crashing ones, and errors.
    """
    return _examples((sample for sample in samples if not _solved(sample)), each)


def successes(samples: Iterable[Sample], *, each: int = SUCCESSES) -> dict[str, Examples]:
    return _examples(filter(_solved, samples), each)


def _solved(sample: Sample) -> bool:
    return "score" in sample and sample["score"] >= SOLVED


def _examples(samples: Iterable[Sample], each: int) -> dict[str, Examples]:
    by_category: dict[str, list[Sample]] = {}
    for sample in samples:
        by_category.setdefault(sample["category"], []).append(sample)
    return {
        category: Examples(
            len(members), [_example(sample) for sample in _spread_over_tasks(members)[:each]]
        )
        for category, members in sorted(by_category.items())
    }


def _spread_over_tasks(samples: Iterable[Sample]) -> list[Sample]:
    """Order samples by round (a task's first, second, … sample), then by kind.

    Each problem is represented once. The rest of the order is that of a hash, because alphabetical
    order would never show the last tasks.
    """
    tasks: dict[str, dict[str, Sample]] = {}
    for sample in sorted(samples, key=lambda s: (_rank(s), _hash(s))):
        tasks.setdefault(sample["task"], {}).setdefault(problem_id_of(sample), sample)
    rows = [
        (number, _rank(sample), _hash(sample), sample)
        for problems in tasks.values()
        for number, sample in enumerate(problems.values())
    ]
    return [sample for *_, sample in sorted(rows, key=lambda row: row[:3])]


def _rank(sample: Sample) -> int:
    if "score" not in sample:
        return 3
    return {"scored": 0, "no_answer": 1}.get(sample["verdict"], 2)


def _hash(sample: Sample) -> str:
    return hashlib.sha256(json.dumps([sample["id"], _completion(sample)]).encode()).hexdigest()


def _completion(sample: Sample) -> str:
    return str(sample["messages"][-1]["content"]) if "messages" in sample else ""


def _example(sample: Sample) -> Example:
    reference = sample["gold_answer"] or "(none: the verifier checks any answer)"
    return Example(
        problem_id=problem_id_of(sample),
        task=sample["task"],
        level=level_name(sample["level"]),
        seed=str(sample["seed"]),
        verdict=sample.get("verdict", "failed"),
        score=f"{sample['score']:.2f}" if "score" in sample else "–",
        ending=_ending(sample),
        question=shortened(sample["question"], head=900, tail=500),
        answer=shortened(_answer(sample), head=500),
        reference_answer=shortened(reference, head=500),
        completion=shortened(_completion(sample), tail=1200),
    )


def _ending(sample: Sample) -> str:
    tokens, reason = sample.get("completion_tokens"), sample.get("finish_reason")
    known = (
        None if tokens is None else f"{tokens:,} tokens",
        None if reason is None else f"finish reason {reason}",
    )
    return ", ".join(filter(None, known))


def _answer(sample: Sample) -> str:
    if "error" in sample:
        return f"(failed: {sample['error']})"
    answer: str | None = sample["model_parsed"]
    return "(none found)" if answer is None else answer
