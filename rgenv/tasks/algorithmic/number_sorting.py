"""Sort numbers."""

from rgenv.tasks import Entry, Task, changed, moving, question_numbers, random_of, replaced
from rgenv.tasks.answers.lists import QuotedNumbers
from rgenv.tasks.safe_parse import literal


class SortedNumbers(QuotedNumbers):
    """Numbers in brackets and quotes, with any zeros at the end."""


TRIES = 50
"""Numbers to draw for each number of a list, until all of them differ."""


def correct(entry: Entry) -> Entry | None:
    """Return the entry; None if it has 0.0 and -0.0, which have no order, or a 5e-06."""
    shown = entry["metadata"]["original_numbers"]
    return None if {"0.0", "-0.0"} <= {*shown} or any("e" in text for text in shown) else entry


def harden(entry: Entry) -> Entry | None:
    """Draw from a narrow range: whole parts sort .94 of the library's lists, .17 of these.

    Ten numbers of a sign share a whole part. Either sign is as likely, or digits alone would do.
    """
    rng, meta = random_of(entry), entry["metadata"]
    shown, (low, high) = meta["original_numbers"], meta["difficulty"]["value"]
    width = len(shown) / 10
    if high - low < width:
        return None
    start = rng.uniform(low, high - width)
    numbers: list[str] = []
    for _ in range(TRIES * len(shown)):
        places = rng.randint(*meta["difficulty"]["decimals"])
        text = str(round(rng.choice((-1, 1)) * rng.uniform(start, start + width), places))
        if low <= float(text) <= high and text not in (*numbers, "-0.0"):
            numbers.append(text)
        if len(numbers) == len(shown):
            break
    else:
        return None
    answer = sorted(numbers, key=float, reverse=meta["direction"] == "descending")
    question = replaced(entry["question"], ", ".join(shown), ", ".join(numbers))
    return changed(entry, question, str(answer), original_numbers=numbers, sorted_numbers=answer)


TASK = Task(
    answer=SortedNumbers(),
    also_right="any notation of the numbers",
    correct=correct,
    harden=harden,
    guarded={"eval": literal},
    family=question_numbers,
    # The last value is the largest within the length budget. The curriculum starts at or above
    # the default, so easier values are added.
    levels=moving(numbers=[(4, 7), (8, 13), (14, 23), (24, 39), (40, 70)]),
)
