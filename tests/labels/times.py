"""Checks of calendar_arithmetic and time_intervals, by counting days and seconds."""

import re
from datetime import date, datetime

from dateutil.parser import parse

from tests.labels.shared import Verdict, find

DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
MONTHS = """
    January February March April May June July August September October November December
""".split()  # a table of names is easier to read
_DATE = re.compile(rf"({'|'.join(MONTHS)}) (\d+)(?:, (\d+))?")


def _day_number(year: int, month: int, day: int) -> int:
    """Return the number of days since a Monday, January 1 of the year 1."""
    return date(year, month, day).toordinal() - 1


def _parse_days(text: str) -> list[int]:
    """Return the day numbers of the dates in a text; a date without a year has the other date's."""
    found = [(int(y or 0), MONTHS.index(m) + 1, int(d)) for m, d, y in _DATE.findall(text)]
    year = max((y for y, _, _ in found), default=0)
    return [_day_number(y or year, m, d) for y, m, d in found]


def calendar_arithmetic(question: str, answer: str) -> Verdict:
    """Count days; None if the last day is before the first."""
    if "leap year" in question:
        year = int(re.findall(r"\d+", question)[0])
        leap = _day_number(year, 3, 1) - _day_number(year, 2, 28) == 2
        return answer == ("Yes" if leap else "No")
    if match := re.search(rf"(first|second|third|fourth|last) ({'|'.join(DAYS)})", question):
        return answer == str(_nth_weekday(question, match[1], match[2]))
    if re.search("first day of the year|January 1 fell|is January 1st", question):
        return _check_from_new_year(question, answer)
    if match := re.search(r"for (\d\d)/(\d\d)/(\d{4})", question):
        month, day, year = map(int, match.groups())
        return answer == DAYS[_day_number(year, month, day) % 7]
    days = _parse_days(question)
    if len(days) == 2:
        return _check_count(question, range(days[0], days[1] + 1), answer)
    offset = re.search(r"(\d+)(?:-day| days)", question)
    shift = int(offset[1]) if offset else 0
    if re.search("ago|before|backward", question):
        shift = -shift
    return answer == DAYS[(days[0] + shift) % 7]


def _check_count(question: str, span: range, answer: str) -> Verdict:
    if not span:
        return None
    if "business" in question or "weekdays (excluding" in question:
        return answer == str(sum(day % 7 < 5 for day in span))
    name = re.search(rf"(?:many|of|does) ({'|'.join(DAYS)})", question)
    return answer == str(sum(DAYS[day % 7] == name[1] for day in span)) if name else None


def _nth_weekday(question: str, nth: str, weekday: str) -> int:
    """Return the day of the month of the first, second, ... or last weekday of its name."""
    match = find(rf"({'|'.join(MONTHS)}) (\d{{4}})", question)
    month, year = MONTHS.index(match[1]) + 1, int(match[2])
    first = _day_number(year, month, 1)
    length = _day_number(year + month // 12, month % 12 + 1, 1) - first
    days = [d + 1 for d in range(length) if DAYS[(first + d) % 7] == weekday]
    return days[["first", "second", "third", "fourth", "last"].index(nth) if nth != "last" else -1]


def _check_from_new_year(question: str, answer: str) -> Verdict:
    """Count from January 1 of a common year, as the clarification says, or to February 29."""
    first = find("|".join(DAYS), question)
    month, day, _ = _DATE.findall(
        question.replace("January 1 fell", "").replace("January 1st", "")
    )[-1]
    year = 2024 if (month, day) == ("February", "29") else 2022
    days = _day_number(year, MONTHS.index(month) + 1, int(day)) - _day_number(year, 1, 1)
    return answer == DAYS[(DAYS.index(first[0]) + days) % 7]


def time_intervals(question: str, answer: str) -> Verdict:
    """Compute the interval; None if the end is before the start."""
    pair = find(
        r"(?:between|from|(?:started|departed|began) at) (.*?)"
        r"(?: and ended at| and completed at| and arrived at| and| to) (.*?)[.?] (?=[A-Z])",
        question,
    )
    asked = find(r" in (HH:MM\S*|D days.*)\.$", question)
    start, end = _moment(pair[1]), _moment(pair[2])
    if end < start:
        return None
    span, form = end - start, asked[1]
    seconds, ms = span.seconds, span.microseconds // 1000
    hours = seconds // 3600 + (0 if form.startswith("D") else 24 * span.days)
    parts = {
        "D days": f"{span.days} days",
        "HH:MM": f"{hours:02d}:{seconds // 60 % 60:02d}",
        "HH:MM:SS": f"{hours:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}",
    }
    if form == "HH:MM:SS.mmm":
        return answer == f"{parts['HH:MM:SS']}.{ms:03d}"
    return answer == ", ".join(parts[part] for part in form.split(", "))


def _moment(text: str) -> datetime:
    """Parse a moment; of a time alone, the day does not matter."""
    return parse(re.sub(r" \(\w+\)| at", "", text), default=datetime(2000, 1, 1))
