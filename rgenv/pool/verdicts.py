"""Turn answers and the replies of workers into verdicts.

::

    verdict_without_scoring(None, max_bytes=32768)          # Verdict(0.0, "no_answer")
    verdict_from_reply({"raw": 1.0, "tagged": 0.15})        # Verdict(1.0, "scored", 1.0, 0.15)

The score of a verdict is a finite float in [0, 1], whatever a reply contains.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from rgenv.types import Kind, Verdict

NOT_MADE = "the problem can't be made"
"""The beginning of a verdict's detail if the worker could not make the problem again."""


def verdict_without_scoring(answer: str | None, *, max_bytes: int) -> Verdict | None:
    """Return the verdict on a missing, empty or too large answer; None if it has to be scored.

    Args:
        max_bytes: the maximum size of an answer in UTF-8.
    """
    if answer is None:
        return Verdict(0.0, "no_answer")
    if not answer:
        return Verdict(0.0, "no_answer", detail="empty answer")
    size = len(answer.encode("utf-8", "surrogatepass"))
    if size > max_bytes:
        return Verdict(0.0, "too_large", detail=f"{size} bytes")
    return None


def verdict_from_reply(reply: Mapping[str, Any]) -> Verdict:
    """Return the verdict in a worker's reply to one answer; wrong types count as no score."""
    if "rejected" in reply:
        return Verdict(0.0, "rejected", detail=str(reply["rejected"]))
    raw, tagged = _score_or_none(reply.get("raw")), _score_or_none(reply.get("tagged"))
    detail = "; ".join(
        f"{form}: {reply[f'{form}_error']}"
        for form in ("raw", "tagged")
        if f"{form}_error" in reply
    )
    kind: Kind = "scored" if raw is not None else "error"
    return Verdict(max(raw or 0.0, tagged or 0.0), kind, raw, tagged, detail)


def _score_or_none(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return min(1.0, max(0.0, float(value)))
