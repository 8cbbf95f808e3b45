"""Sort numbers."""

from collections.abc import Sequence
from random import Random

from rgenv.tasks import Answers, Entry, Forms, Task, moving, question_numbers
from rgenv.tasks.answers.lists import QuotedNumbers
from rgenv.tasks.rewriting import changed, first_last, random_of
from rgenv.tasks.safe_parse import literal


class SortedNumbers(QuotedNumbers):
    """Numbers in brackets and quotes, with any zeros at the end."""

    def forms(self, reference: str, question: str) -> Forms:
        found = self._items(reference)[0]
        short = [item.rstrip("0").rstrip(".") if "." in item else item for item in found]
        return super().forms(reference, question) | {"no zeros at the end": str(short)}


ROOM = 6
"""The fewest numbers with room for several that begin alike."""
SHARING = 5
"""Numbers that share their whole part, on average."""
TENTHS = 2
"""Tenths that the numbers of a list have, if they have hundredths."""
OTHER_SIGN = 0.4
"""The share of numbers whose sign is another than that of their whole part."""
TRIES = 50
"""Numbers to make for each number of a list, until all of them differ."""


def correct(entry: Entry) -> Entry:
    """Replace the numbers by others that have few whole parts, all of them from the question.

    Nearly all of the library's numbers differ in their whole parts, which are easily compared. A
    list stays as it is if its numbers are whole or lie closely together.
    """
    meta, rng = entry["metadata"], random_of(entry)
    shown, (low, high) = meta["original_numbers"], meta["difficulty"]["value"]
    decimals, most = meta["difficulty"]["decimals"][1], meta["difficulty"]["numbers"][1]
    count = rng.randint(ROOM, most) if len(shown) < ROOM <= most else len(shown)
    numbers = _numbers_alike(rng, shown, count, both_signs=low < 0 < high, hundredths=decimals > 1)
    answer = sorted(numbers, key=float)
    if not decimals or len(numbers) < count:
        return entry
    if float(answer[0]) < low or float(answer[-1]) > high:
        return entry
    if meta["direction"] == "descending":
        answer.reverse()
    numbers = first_last(rng, numbers, answer[0])
    question = entry["question"].replace(", ".join(shown), ", ".join(numbers), 1)
    new = {"original_numbers": numbers, "sorted_numbers": answer, "numbers": count}
    return changed(entry, question, str(answer), **new)


def _numbers_alike(
    rng: Random, shown: Sequence[str], count: int, *, both_signs: bool, hundredths: bool
) -> list[str]:
    """Return different numbers with some of the whole parts of those shown; fewer if none fit.

    With hundredths, there is always a pair like 40.4 and 40.13: 13 is larger than 4, but .13 is
    smaller than .4.
    """
    whole = [text.partition(".")[0] for text in shown[: max(1, count // SHARING)]]
    tenths = sorted(rng.sample("123456789", TENTHS if hundredths else 9))
    found: list[str] = []
    if hundredths:
        shared = rng.choice(whole)
        found = [f"{shared}.{tenths[-1]}", f"{shared}.{tenths[0]}{rng.randrange(1, 10)}"]
    for _ in range(TRIES * count):
        text = f"{rng.choice(whole)}.{rng.choice(tenths)}"
        if hundredths:
            text = f"{text}{rng.randrange(10)}".removesuffix("0")
        if both_signs and rng.random() < OTHER_SIGN:
            text = f"-{text}".removeprefix("--")
        if text not in found:
            found.append(text)
        if len(found) >= count:
            break
    return rng.sample(found, min(len(found), count))


def shortcuts(question: str) -> Answers:
    found = question.split("order: ", 1)[1].split("\n", 1)[0].split(", ")
    return {
        "sort as text": str(sorted(found)),  # .10
        "sort as text downwards": str(sorted(found, reverse=True)),  # .08
    }


TASK = Task(
    answer=SortedNumbers(),
    correct=correct,
    guarded={"eval": literal},
    shortcuts=shortcuts,
    family=question_numbers,
    # The last value is the largest within the length budget. The curriculum starts at or above
    # the default, so easier values are added.
    levels=moving(numbers=[(4, 7), (8, 13), (14, 23), (24, 39), (40, 70)]),
)
