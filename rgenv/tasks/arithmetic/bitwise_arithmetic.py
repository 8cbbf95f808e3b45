"""Calculate with hexadecimal numbers and shifts."""

import re

from rgenv.tasks import Answer, Entry, Task, moving, question_numbers
from rgenv.tasks.answers.notation import MAX_CHARS, plain_signs


class Hexadecimal(Answer):
    """A hexadecimal number, in any case, with or without ``0x``.

    Digits alone are hexadecimal too, since the question asks for such a number: a text must not
    stand for two values.
    """

    name = "number"
    longest = MAX_CHARS

    def read(self, text: str, entry: Entry) -> str | None:
        text = plain_signs(text.strip())
        match = re.fullmatch("([-+]?)(?:0x)?([0-9a-f]+)", text, re.ASCII | re.I)
        if match is None:
            return None
        value = int(match[2], 16)
        sign = "-" if match[1] == "-" else ""
        return None if sign and not value else f"{sign}{value:#x}"


TASK = Task(
    answer=Hexadecimal(),
    family=question_numbers,
    levels=moving(difficulty=[2, 3, 4, 6, 8]),
)
