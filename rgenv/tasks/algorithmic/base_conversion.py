"""Write a number in another base."""

import re

from rgenv.tasks import Answer, Entry, Task, moving, question_numbers
from rgenv.tasks.answers.notation import MAX_CHARS, plain, plain_signs, read_number

_PREFIXES = {2: "0b", 8: "0o", 16: "0x"}
_LOW_DIGITS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


class DigitsOfBase(Answer):
    """A number in the base that is asked for, whose prefix or index it may have.

    Digits above 9 are letters of any case. Numbers without letters may be grouped by thousands.
    """

    name = "number"
    longest = MAX_CHARS

    def read(self, text: str, entry: Entry) -> str | None:
        base = entry["metadata"].get("target_base", 0)
        digits = plain_signs(text.strip()).lower()
        low = str(base).translate(_LOW_DIGITS)
        index = rf"_{base}|_\{{{base}\}}|{low}|\s+base[ -]{base}|\s*\(base[ -]{base}\)"
        digits = re.sub(rf"(?:{index})$", "", digits)
        digits = re.sub(rf"^\+?{_PREFIXES.get(base, '')}(?=[0-9a-z])", "", digits)
        if re.fullmatch(r"0|[1-9a-z][0-9a-z]*", digits, re.ASCII):
            return digits
        given = read_number(digits)
        is_whole = given is not None and given.value.denominator == 1 and "e" not in digits
        return plain(given.value) if given is not None and is_whole else None


TASK = Task(
    answer=DigitsOfBase(),
    family=question_numbers,
    # The curriculum moves to larger bases, which have fewer digits. Here smaller and larger
    # ones are added to bases near ten while the number grows.
    levels=moving(
        base=[(7, 10), (6, 12), (4, 14), (3, 18), (2, 24)],
        value=[(10, 300), (300, 3000), (3000, 30000), (30000, 300000), (300000, 3000000)],
    ),
)
