"""Remove numbers above or below a limit from a list."""

import ast
import math
import operator
import re
from decimal import Decimal

from rgenv.tasks import Entry, Task, changed, moving, question_numbers, random_of, replaced
from rgenv.tasks.answers.lists import QuotedNumbers


def correct(entry: Entry) -> Entry:
    """Keep the spelling of each number, where the library turns "81" into an earlier "81.0"."""
    [(action, size, limit, listed)] = re.findall(
        r"(Keep|Remove) all numbers (larger|smaller) than (\S+) in this list: (\[.*\])",
        entry["question"],
    )
    compare, exact_limit = operator.gt if size == "larger" else operator.lt, Decimal(limit)
    numbers = ast.literal_eval(listed)
    kept = [n for n in numbers if compare(Decimal(n), exact_limit) == (action == "Keep")]
    return changed(entry, entry["question"], str(kept), result=kept)


def harden(entry: Entry) -> Entry | None:
    """Give all numbers one whole part: it decides .99 of the library's problems, .23 of these.

    A number without decimals may be the next whole one.
    """
    rng, meta = random_of(entry), entry["metadata"]
    (low, high), places = meta["difficulty"]["value"], meta["difficulty"]["decimals"]
    if not places[1]:
        return None
    start = rng.randint(math.ceil(low), math.floor(high) - 1)

    def drawn(least: float, most: float) -> str:
        return f"{rng.uniform(least, most):.{rng.randint(*places)}f}"

    old, limit = meta["original_numbers"], meta["filter_value"]
    new = [drawn(start, start + 1) for _ in old]
    new_limit = drawn(min(map(float, new)), max(map(float, new)))
    question = replaced(entry["question"], f"than {limit} in", f"than {new_limit} in")
    question = replaced(question, str(old), str(new))
    return correct(changed(entry, question, "", original_numbers=new, filter_value=new_limit))


TASK = Task(
    answer=QuotedNumbers(),
    correct=correct,
    harden=harden,
    family=question_numbers,
    # The curriculum starts at or above the default, so easier values are added.
    levels=moving(numbers=[(4, 7), (8, 13), (14, 23), (24, 39), (40, 60)]),
)
