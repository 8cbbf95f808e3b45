"""Days and times between two moments."""

from __future__ import annotations

import random
import re
from fractions import Fraction

from rgenv.tasks.answers.kind import Answer, Forms
from rgenv.tasks.answers.notation import MAX_CHARS, plain_signs
from rgenv.tasks.entry import Entry

_DURATION = re.compile(
    r"(?:\+?(?P<days>0|[1-9]\d{0,8})(?:\s*days?)?(?P<join>\s*,\s*|\s+|$))?"
    r"(?:\+?(?P<hours>\d\d?|[1-9]\d{2,8}):(?P<minutes>[0-5]\d)"
    r"(?::(?P<seconds>[0-5]\d)(?:\.(?P<part>\d{1,9}))?)?)?",
    re.ASCII,
)


class Duration(Answer):
    """Days, a time, or both, as they are asked for: ``1 day, 05:00:00``, ``14``."""

    def read(self, text: str, entry: Entry) -> str | None:
        reference = str(entry["answer"])
        given, right = _milliseconds(text), _milliseconds(reference)
        return reference if given is not None and given == right else text.strip()

    def forms(self, reference: str, question: str) -> Forms:
        forms: Forms = {}
        if "days" in reference:
            forms["capital"] = reference.replace("days", "Days")
            forms |= {"one day": "1 day" + reference[6:]} if reference.startswith("1 days") else {}
        if ", " in reference:
            forms["no space after the comma"] = reference.replace(", ", ",")
        return forms

    def misses(self, reference: str, question: str, rng: random.Random) -> Forms:
        fields = list(re.finditer(r"\d+", reference))
        field = rng.choice(fields)
        value = (int(field[0]) + rng.randint(1, 20)) % (60 if len(fields) > 1 else 10**6)
        changed = f"{reference[: field.start()]}{value:0{len(field[0])}d}{reference[field.end() :]}"
        return {"field": changed} if changed != reference else {}


def _milliseconds(text: str) -> tuple[bool, bool, Fraction] | None:
    """Return whether a duration names days and a time, and its length."""
    if len(text) > MAX_CHARS:
        return None
    text = plain_signs(text.strip()).lower()
    match = _DURATION.fullmatch(text)
    if match is None:
        return None
    days, clock = match["days"] is not None, match["hours"] is not None
    if not (days or clock) or bool(match["join"]) != (days and clock):
        return None
    if days and clock and ("day" not in text or int(match["hours"]) > 23):
        return None
    length = Fraction(int(match["days"] or 0) * 86_400)
    if clock:
        length += int(match["hours"]) * 3600 + int(match["minutes"]) * 60
        length += Fraction(f"{match['seconds'] or 0}.{match['part'] or 0}")
    return days, clock, length * 1000
