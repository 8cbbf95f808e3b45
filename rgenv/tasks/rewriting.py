"""Questions rewritten by chance: randomness from the question, and changed copies of an entry."""

import hashlib
import random

from rgenv.tasks.entry import Entry

SENTENCE_TEXT = "in_the_year_2889.txt"


def random_of(entry: Entry) -> random.Random:
    """Return a generator whose state is a function of the question alone."""
    digest = hashlib.blake2b(str(entry["question"]).encode(), digest_size=16).digest()
    return random.Random(int.from_bytes(digest, "big"))


def obeys(entry: Entry, **values: float) -> bool:
    """Return whether the parameters that were asked for allow these values.

    ``obeys(entry, terms=4)`` is False if `min_terms`, `max_terms` or `terms` of the entry's config
    says otherwise. What the config does not name may have any value.
    """
    config = entry["config"]
    return all(
        config.get(f"min_{name}", value) <= value <= config.get(f"max_{name}", value)
        and config.get(name, value) == value
        for name, value in values.items()
    )


def replaced(text: str, old: str, new: str) -> str:
    """Return a text with `new` for the first `old`; raise ValueError if it has none."""
    before, found, after = text.partition(old)
    if not found:
        raise ValueError(f"not in the question: {old!r}")
    return f"{before}{new}{after}"


def changed(entry: Entry, question: str, answer: str, **metadata: object) -> Entry:
    """Return a copy with another question and answer, and with `metadata` added or replaced."""
    metadata = {**entry["metadata"], **metadata}
    return {**entry, "question": question, "answer": answer, "metadata": metadata}


def with_solution(entry: Entry, question: str, solution: object, **metadata: object) -> Entry:
    """Return a copy with another question, and with `solution` as its answer, in text and value."""
    return changed(entry, question, str(solution), solution=solution, **metadata)
