"""Remove numbers above or below a limit from a list."""

import ast
import operator
import re
from decimal import Decimal
from random import Random

from rgenv.tasks import Entry, Task, changed, moving, question_numbers, random_of
from rgenv.tasks.answers.lists import QuotedNumbers


def _asked(question: str) -> tuple[str, str, str, list[str]]:
    """Return whether to keep or to remove larger or smaller numbers, than which, of which list."""
    [(action, size, bound, numbers)] = re.findall(
        r"(Keep|Remove) all numbers (larger|smaller) than (\S+) in this list: (\[.*\])", question
    )
    return action, size, bound, ast.literal_eval(numbers)


DIGITS = "123456789"
"""Of decimals: with zeros, 5.30 and 5.3 would be two spellings of one number."""
MISSING_DIGITS = (1, 1, 1, 2, 3)
"""How many digits of the limit a number near it lacks at its end, one as likely as the other."""


def correct(entry: Entry) -> Entry:
    """Replace the limit and most numbers: these begin as the limit does, and some are on each side.

    In the library's lists, what stands before the point decides. The spelling of each number is
    kept, where the library turns "81" into an earlier "81.0".
    """
    question = str(entry["question"])
    action, size, bound, numbers = _asked(question)
    if decimals := entry["metadata"]["difficulty"]["decimals"][1]:
        rng = random_of(entry)
        digits = rng.choices("2345678", k=max(2, decimals - 1))  # each has smaller and larger ones
        limit = f"{bound.partition('.')[0]}.{''.join(digits)}"
        places = rng.sample(range(len(numbers)), len(numbers))
        near = len(places) - (2 if len(places) > 5 else 1)
        needed = [
            _near(rng, limit, above=False, missing=1),
            _shorter(rng, limit),
            limit + rng.choice(DIGITS),
        ]
        for place in places[:near]:
            above = rng.random() < 0.5
            numbers[place] = needed.pop(0) if needed else _near(rng, limit, above=above)
        for place, other in zip(places[near:], _misleading(rng, limit), strict=False):
            numbers[place] = other
        head, _, tail = question.partition("[")
        question = f"{head.replace(bound, limit)}{numbers}{tail.partition(']')[2]}"
        bound = limit
    compare = operator.gt if size == "larger" else operator.lt
    exact_bound = Decimal(bound)
    kept = [n for n in numbers if compare(Decimal(n), exact_bound) == (action == "Keep")]
    return changed(entry, question, str(kept), result=kept, filter_value=bound)


def _misleading(rng: Random, limit: str) -> list[str]:
    """Return a number near the limit but for its sign, and one that spelling puts on a wrong side.

    As texts, 9.1 is larger than 55.3, and 12.5 is smaller than 5.5.
    """
    other = _near(rng, limit, above=True)
    sign = "-" * limit.startswith("-")
    start = "9" if len(limit.partition(".")[0].removeprefix("-")) > 1 else f"1{rng.randrange(10)}"
    numbers = [other[1:] if sign else f"-{other}", f"{sign}{start}.{rng.randrange(1, 100)}"]
    return rng.sample(numbers, 2)


def _near(rng: Random, limit: str, *, above: bool, missing: int = 0) -> str:
    """Return a number that begins as the limit does, with a larger or smaller size.

    It differs in the last `missing` digits; 0 leaves their number to chance. It may have a digit
    more than the limit: 5.25 is smaller than 5.3.
    """
    places = len(limit.partition(".")[2])
    last = len(limit) - min(missing or rng.choice(MISSING_DIGITS), places)
    there = DIGITS.index(limit[last])
    digit = rng.choice(DIGITS[there + 1 :] if above else DIGITS[:there])
    more = rng.randint(0, len(limit) - last)
    return limit[:last] + digit + "".join(rng.choices(DIGITS, k=more))


def _shorter(rng: Random, limit: str) -> str:
    """Return a number with fewer digits than the limit, and a larger size: 5.3 for 5.25.

    Read as whole numbers, its decimals are smaller.
    """
    last = len(limit) - rng.randint(2, len(limit.partition(".")[2]))
    return limit[:last] + rng.choice(DIGITS[DIGITS.index(limit[last]) + 1 :])


TASK = Task(
    answer=QuotedNumbers(),
    correct=correct,
    family=question_numbers,
    # The curriculum starts at or above the default, so easier values are added.
    levels=moving(
        numbers=[(4, 7), (8, 13), (14, 23), (24, 39), (40, 60)], max_decimals=[3, 4, 5, 6, 7]
    ),
)
