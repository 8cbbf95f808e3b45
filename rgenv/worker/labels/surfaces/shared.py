"""Randomness for rewriting a question: a function of its text, the same in every process."""

from __future__ import annotations

import hashlib
import random

from rgenv.tasks.entry import Entry


def random_of(entry: Entry) -> random.Random:
    """Return a generator whose state is a function of the question alone."""
    digest = hashlib.blake2b(str(entry["question"]).encode(), digest_size=16).digest()
    return random.Random(int.from_bytes(digest, "big"))


def with_solution(entry: Entry, question: str, solution: object, **metadata: object) -> Entry:
    """Return a copy with another question, and with `solution` as its answer, in text and value."""
    changed = {**entry["metadata"], "solution": solution, **metadata}
    return {**entry, "question": question, "answer": str(solution), "metadata": changed}
