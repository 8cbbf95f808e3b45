"""Solve a word problem of school arithmetic."""

import re
from fractions import Fraction

from rgenv.tasks import Entry, Levels, Number, Task, question_numbers

_NO_UNITS = frozenset(
    "a about and approximately at dozen each either else half hundred in less million more neither "
    "no nor not of off only or over per percent plus minus than that the thousand times to".split()
)
"""Words after a number that change its value, or make a sentence of it."""


class StoryNumber(Number):
    """A number with a dollar sign, a percent sign or the unit that the question names.

    A unit is one word after the number, or two, as they stand in the question. A percent sign
    belongs there if the sentence that asks has one.
    """

    def read(self, text: str, entry: Entry) -> str | None:
        match = re.fullmatch(
            r"(?:\\?\$ ?)?([^\s$%]+)(?: ?\\?%|((?: [a-z-]+){1,2}))?", text.strip(), re.I
        )
        if match is None:
            return None
        unit = (match[2] or "").strip().lower()
        question = str(entry["question"]).lower()
        if unit and (_NO_UNITS & set(unit.split()) or not re.search(rf"\b{unit}\b", question)):
            return None
        if text.rstrip().endswith("%") and not re.search(r"(?:%|percent)[^.?]*\?", question):
            return None
        return super().read(match[1], entry)


_TERM = r"[$£€]?(\d[\d,]*(?:\.\d+)?(?:/\d+)?)"
_STEP = re.compile(
    rf"(?<![*/÷+x-] )(?<![*/÷+.\d-]){_TERM} ?([*/÷-]) ?{_TERM} ?= ?{_TERM}(?![\d/%.])", re.ASCII
)
"""A calculation of two numbers in a worked answer: ``13÷2/5=32``."""
_HALF = re.compile(r"\.50 per .*nearest dollar")
"""Prices that the library rounds to even dollars, 2.50 to 2."""


def correct(entry: Entry) -> Entry | None:
    """Return the entry; None if the library rounded where its story has a fraction.

    With the numbers that eight stories draw, the worked answer rounds a result down: 46 % of
    40 students are 18. One makes a man see a comet before he is born.
    """
    worked = entry["metadata"]["answer_cot"]
    is_exact = all(_is_exact(*step) for step in _STEP.findall(worked))
    is_story = entry["answer"][0] != "-" and not _HALF.search(entry["question"])
    return entry if is_exact and is_story else None


def _is_exact(first: str, sign: str, second: str, shown: str) -> bool:
    a, b, result = (Fraction(number.replace(",", "")) for number in (first, second, shown))
    value = a * b if sign == "*" else a - b if sign == "-" else a / b
    return abs(value - result) < Fraction(1, 100)


def work(entry: Entry) -> float:
    """Return the calculations in the library's worked answer."""
    return float(len(re.findall(r"=\s*[^\s=]*\d", entry["metadata"]["answer_cot"])))


TASK = Task(
    answer=StoryNumber(),
    correct=correct,
    clarify=(
        (
            r"How much more likely is it \(expressed as a percentage",
            "Answer with the difference in percentage points.",
        ),
        ("times the number of boys in", "There are more boys than girls."),
        (r"in one month\?", "A month has 30 days."),
        (r"spent .* of his money left", "The sum of money is what he had at first."),
    ),
    family=question_numbers,
    work=work,
    # No curriculum. The only parameter, difficulty, has to be 1.0. So problems are chosen by
    # the calculations in their worked answers.
    levels=Levels(
        work=[(1, 2), (2, 3), (3, 4), (4, 5), (5, 12)], fixed="The only parameter has to be 1.0."
    ),
)
