"""Find the time between two dates or times."""

import re
from datetime import datetime, timedelta
from fractions import Fraction

from rgenv.tasks import Answer, Answers, Entry, Task, moving, question_numbers
from rgenv.tasks.answers.notation import MAX_CHARS, plain_signs
from rgenv.tasks.exact_numbers import MONTH, MONTHS
from rgenv.tasks.limits import max_digits

_DURATION = re.compile(
    r"(?:\+?(?P<days>0|[1-9]\d{0,8})(?:\s*days?)?(?P<join>\s*,\s*|\s+|$))?"
    r"(?:\+?(?P<hours>\d\d?|[1-9]\d{2,8}):(?P<minutes>[0-5]\d)"
    r"(?::(?P<seconds>[0-5]\d)(?:\.(?P<part>\d{1,9}))?)?)?",
    re.ASCII,
)


def _read_duration(text: str) -> tuple[bool, bool, Fraction] | None:
    """Return whether a duration names days, whether it names a time, and its seconds."""
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
    return days, clock, length


class Duration(Answer):
    """Days, a time, or both, as they are asked for: ``1 day, 05:00:00``, ``14``."""

    name = "number"
    longest = MAX_CHARS

    def read(self, text: str, entry: Entry) -> str | None:
        reference = str(entry["answer"])
        given, right = _read_duration(text), _read_duration(reference)
        return reference if given is not None and given == right else text.strip()


PARTS = [
    (
        rf"\d{{4}}-\d\d-\d\d|\d\d/\d\d/\d{{4}}|{MONTH} \d\d?,? \d{{4}}|\d\d {MONTH} \d{{4}}",
        "2000-01-01",
    ),
    (r"\b\d\d:\d\d(?::\d\d(?:\.\d{3})?)?", "00:00"),
    (r"(?<= )[-+]\d{4}\b", "+0000"),
]
"""Patterns of a date, a time and an offset, each with the default for a question without one."""


def correct(entry: Entry) -> Entry | None:
    """Compute the interval; None if the end is before the start.

    The library loses the time and the time zone after a weekday in brackets, and milliseconds in
    floats.
    """
    question, form = entry["question"], entry["metadata"]["expected_format"]
    parts = [_find_pair(pattern, question, default) for pattern, default in PARTS]
    start, end = (_moment(*each) for each in zip(*parts, strict=True))
    if end < start:
        return None
    span = end - start
    hours, seconds = divmod(span.seconds, 3600)
    if not form.startswith("D"):
        hours += 24 * span.days
    clock = f"{hours:02d}:{seconds // 60:02d}:{seconds % 60:02d}.{span.microseconds // 1000:03d}"
    _, _, time_form = form.rpartition(", ")
    shown = clock[: len(time_form) - 12 or None] if time_form.startswith("HH") else ""
    days = f"{span.days} days" if form.startswith("D") else ""
    return {**entry, "answer": ", ".join(filter(None, (days, shown)))}


def _find_pair(pattern: str, question: str, default: str) -> list[str]:
    """Return the matches for start and end, or the default twice if there are none."""
    found = re.findall(pattern, question)
    if len(found) not in (0, 2):
        raise ValueError(question)
    return found or [default, default]


def _moment(date: str, time: str, zone: str) -> datetime:
    """Return a moment in UTC."""
    numbers = [int(number) for number in re.findall(r"\d+", date)]
    if name := re.search(MONTH, date):
        day, year = numbers
        month = MONTHS.index(name[0][:3]) + 1
    elif "/" in date:
        month, day, year = numbers
    else:
        year, month, day = numbers
    hours, minutes, *seconds = time.split(":")
    offset = timedelta(hours=int(zone[:3]), minutes=int(zone[0] + zone[3:]))
    return (
        datetime(year, month, day)
        + timedelta(hours=int(hours), minutes=int(minutes))
        + timedelta(milliseconds=int(1000 * Fraction(seconds[0] if seconds else "0")))
        - offset
    )


def shortcuts(question: str) -> Answers:
    """Subtract field by field."""
    times = re.findall(r"\d{1,2}(?::\d\d)+(?:\.\d+)?", question)
    start, end = ([int(part) for part in time.split(".")[0].split(":")] for time in times[-2:])
    fields = [abs(late - early) for early, late in zip(start, end, strict=False)]
    # .20, and .46 at level 0
    return {"subtract field by field": ":".join(f"{field:02d}" for field in fields)}


TASK = Task(
    answer=Duration(),
    correct=correct,
    clarify=(
        (r"\d\d/\d\d/\d{4}", "Dates are written as month/day/year."),
        (r"\d:\d\d:\d\d.* D days, HH:MM\.", "Cut off the seconds; do not round."),
    ),
    limits=(max_digits(300),),
    shortcuts=shortcuts,
    family=question_numbers,
    # Half of the default problems have no date, dates that name no offset ask for none, and short
    # intervals seldom cross a leap day: whoever ignores one of these is right in the others by
    # nature. Months of 30.44 days, rounded, are right for .4 of the dates.
    # Kinds of intervals replace each other by the fields that have to be subtracted. The
    # curriculum moves only the length of the interval.
    levels=moving(
        task_types=[
            ["time", "time_seconds"],
            ["time_seconds", "time_ms"],
            ["time_ms", "datetime"],
            ["datetime", "datetime_tz"],
            ["datetime", "datetime_tz"],
        ],
        max_time_difference_seconds=[14400, 28800, 43200, 64800, 86400],
        max_date_difference_days=[30, 50, 100, 200, 1825],
    ),
    accepted={"wrong": "a zero before the hours may be left out, and the library demands it"},
)
