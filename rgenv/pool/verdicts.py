"""Verdicts on answers that no worker sees.

::

    verdict_without_scoring(None, max_bytes=32768)          # Verdict(0.0, "no_answer")
"""

from rgenv.types import Verdict

NOT_MADE = "the problem can't be made"
"""The beginning of a verdict's detail if the worker could not make the problem again."""


def verdict_without_scoring(answer: str | None, *, max_bytes: int) -> Verdict | None:
    """Return the verdict on a missing, empty or too large answer; None if it has to be scored.

    `max_bytes` is the maximum size in UTF-8.
    """
    if answer is None:
        return Verdict(0.0, "no_answer")
    if not answer:
        return Verdict(0.0, "no_answer", detail="empty answer")
    size = len(answer.encode("utf-8", "surrogatepass"))
    if size > max_bytes:
        return Verdict(0.0, "too_large", detail=f"{size} bytes")
    return None
