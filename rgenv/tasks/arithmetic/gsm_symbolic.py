"""Solve a word problem of school arithmetic."""

import re

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


def work(entry: Entry) -> float:
    """Return the calculations in the library's worked answer."""
    return float(len(re.findall(r"=\s*[^\s=]*\d", entry["metadata"]["answer_cot"])))


TASK = Task(
    answer=StoryNumber(),
    family=question_numbers,
    work=work,
    # No curriculum. The only parameter, difficulty, has to be 1.0. So problems are chosen by
    # the calculations in their worked answers.
    levels=Levels(
        work=[(1, 2), (2, 3), (3, 4), (4, 5), (5, 12)], fixed="The only parameter has to be 1.0."
    ),
)
