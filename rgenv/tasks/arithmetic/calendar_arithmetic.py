"""Answer questions about dates and days of the week."""

import calendar
import math
import re
from datetime import date

from rgenv.tasks import Entry, LibraryVerifier, Number, Task, moving
from rgenv.tasks.answers.notation import reference_value
from rgenv.tasks.answers.words import Word
from rgenv.tasks.exact_numbers import MONTH, MONTHS
from rgenv.tasks.limits import max_digits
from rgenv.tasks.symmetries import small_words, sorted_numbers
from rgenv.tasks.verifying import credit_above, exact

_WEEKDAYS = list(calendar.day_name)


class DayOrCount(Word):
    """A number, or a day of the week or yes and no where the reference answer is a word."""

    name = "any"
    _number = Number()

    def read(self, text: str, entry: Entry) -> str | None:
        if reference_value(entry) is None:
            return super().read(text, entry)
        return self._number.read(text, entry)


_DATE = re.compile(rf"((?:[A-Z][a-z]+day)?)(?:, )?({MONTH}) (\d\d?)\b")
_NEW_YEAR = "(?:January 1 fell|first day of the year|is January 1st)"


def correct(entry: Entry) -> Entry | None:
    """Count again; None if the last day is before the first, or has another weekday.

    The library writes the dates of the next year with this year's number. It counts from New Year
    in the year of the data set, which the question does not name and may be a leap year.
    """
    question = entry["question"]
    found = [
        (weekday, MONTHS.index(name[:3]) + 1, int(day))
        for weekday, name, day in _DATE.findall(question)
    ]
    if re.search(_NEW_YEAR, question):
        _, month, day = found[-1]
        year = 2000 if month == 2 else 2001  # one has a February 29, the other is a common year
        first = _WEEKDAYS.index(re.findall("|".join(_WEEKDAYS), question)[0])
        days = (date(year, month, day) - date(year, 1, 1)).days
        return {**entry, "answer": _WEEKDAYS[(first + days) % 7]}
    if not re.search("inclusive|both", question):
        return entry
    [year] = {int(year) for year in re.findall(r"\b\d{4}\b", question)}
    start, end = (date(year, month, day) for _, month, day in found)
    if start > end or [f"{day:%A}" for day in (start, end)] != [name for name, *_ in found]:
        return None
    wanted = re.search(r"(?:many|of|does) (\w+day)", question)
    counted = [wanted[1]] if wanted else _WEEKDAYS[:5]
    names = [_WEEKDAYS[(start.weekday() + n) % 7] for n in range((end - start).days + 1)]
    return {**entry, "answer": str(sum(name in counted for name in names))}


def verify(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 for the right answer, and partial credit for a close count of days.

    The library gives ``Wednesday`` 0.14 on average. Where the right count is negative, it scores a
    smaller one above 1.0.
    """
    right = str(entry["answer"])
    if entry["metadata"]["task"] not in ("count_business_days", "count_days"):
        return exact(answer, entry, library)
    if not re.fullmatch(r"-?(?:0|[1-9][0-9]{0,17})", answer.strip()):
        return 0.0
    error = abs(int(answer) - int(right))
    if not error or right == "0":
        return float(not error)
    return credit_above(math.exp(-5 * error / abs(int(right))))


def family(entry: Entry) -> object:
    """Keep numbers and small words; ignore order, names of days and months."""
    return [small_words(entry["question"]), sorted_numbers(entry["question"])]


TASK = Task(
    answer=DayOrCount(),
    correct=correct,
    verify=verify,
    clarify=(
        (r"\b\d\d/\d\d/\d", "The date is written as month/day/year."),
        (rf"{_NEW_YEAR}.* (?!Jan|Feb){MONTH} \d", "The year is not a leap year."),
    ),
    limits=(max_digits(300),),
    family=family,
    # Kinds of questions replace each other by the steps that they take. The curriculum adds
    # hard kinds and keeps easy ones; half of its hardest level is as easy as its easiest.
    levels=moving(
        tasks=[
            "weekday_offset is_leap_year weekday_offset".split(),
            ["weekday_offset", *["weekday_of_date_from_first_date"] * 2],
            "weekday_of_date_from_first_date count_days weekday_of_date".split(),
            "count_days recurring_event_day count_business_days".split(),
            "recurring_event_day count_days count_business_days".split(),
        ],
        offset_upper_bound=[25, 50, 80, 150, 365],
    ),
    accepted={"shortcut": "the answer is computed from the dates in the question"},
)
