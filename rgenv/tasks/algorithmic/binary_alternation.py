"""Count the swaps that make a string of 0 and 1 alternate."""

from itertools import pairwise
from random import Random

from rgenv.tasks import Entry, Task, moving, random_of
from rgenv.tasks.answers.numbers import Number
from rgenv.tasks.rewriting import MAX_SWAPS, with_solution
from rgenv.tasks.symmetries import last_string

IMPOSSIBLE_SHARE = 0.04
"""The share of strings that can't alternate. Their counts of digits give them away. Of the other
strings one of two patterns needs the fewest swaps, so to count either one is right half the time.
"""


def correct(entry: Entry) -> Entry | None:
    """Replace the string; the number of swaps is uniform, and independent of the string's length.

    In the library's strings it is about a quarter of the length, and impossible for one in five.
    """
    rng = random_of(entry)
    meta = entry["metadata"]
    shortest, longest = meta["difficulty"]["n"]
    # All strings have as many of each digit and need less than a quarter of their length: otherwise
    # a problem that a rule on lengths and counts solves would be one with a certain length.
    most = max(3, longest // 4 - 1)
    least = max(2, most // 2)
    lengths = [n for n in range(shortest, longest + 1) if n % 2 == 0 and n // 4 > most]
    length = rng.choice(lengths or [4 * (most + 1)])
    swaps = rng.randint(least, most)
    digits = _swapped(rng, length, swaps, rng.randint(1, 2 * least))
    if digits is None:
        return None
    if rng.random() < IMPOSSIBLE_SHARE:
        place = rng.randrange(length)
        digits[place] = "10"[int(digits[place])]
        swaps = -1
    string = "".join(digits)
    question = entry["question"].replace(f": {meta['string']}\n", f": {string}\n")
    if fewest_swaps(string) != swaps or not question.endswith(f": {string}\n"):
        return None
    return with_solution(entry, question, swaps, string=string, solvable=swaps >= 0, n=length)


def _swapped(rng: Random, length: int, swaps: int, blocks: int) -> list[str] | None:
    """Return alternating digits after `swaps` swaps of a 0 and a 1; None if no places are found.

    There are `blocks` blocks of wrong digits and as many of right ones, so that the number of equal
    digits next to each other says nothing about the swaps.
    """
    for _ in range(MAX_SWAPS):
        is_wrong: list[int] = []
        for wrong, right in zip(
            _parts(rng, 2 * swaps, blocks), _parts(rng, length - 2 * swaps, blocks), strict=True
        ):
            is_wrong += [1] * wrong + [0] * right
        if sum(is_wrong[1::2]) == swaps:
            return _from_any_end(rng, is_wrong)
    return None


def _from_any_end(rng: Random, is_wrong: list[int]) -> list[str]:
    """Return digits that are wrong at these places, turned so that each end is wrong half the time.

    Fewer digits are in wrong places than in right ones, so random ends would tell which.
    """
    ends = rng.randrange(2), rng.randrange(2)
    starts = [n for n, first in enumerate(is_wrong) if (is_wrong[n - 1], first) == ends]
    start = rng.choice(starts or range(len(is_wrong)))
    first = rng.randrange(2)
    turned = is_wrong[start:] + is_wrong[:start]
    return ["01"[(first + place + bad) % 2] for place, bad in enumerate(turned)]


def _parts(rng: Random, total: int, count: int) -> list[int]:
    """Return `count` positive numbers that add up to `total`."""
    cuts = [0, *sorted(rng.sample(range(1, total), count - 1)), total]
    return [end - start for start, end in pairwise(cuts)]


def fewest_swaps(string: str) -> int:
    """Return the fewest swaps that make a string of 0 and 1 alternate; -1 if none do.

    A swap puts one 0 and one 1 into their places.
    """
    length, ones = len(string), string.count("1")
    wrong = sum(digit != "01"[place % 2] for place, digit in enumerate(string))
    with_0_first = [wrong // 2] if ones == length // 2 else []
    with_1_first = [(length - wrong) // 2] if ones == (length + 1) // 2 else []
    return min(with_0_first + with_1_first, default=-1)


TASK = Task(
    answer=Number(unit="swaps?"),
    correct=correct,
    family=last_string,
    # The curriculum starts at or above the default, so easier values are added; its strings of
    # 1,000 bits are long, not deep.
    levels=moving(n=[(8, 22), (18, 28), (28, 42), (42, 60), (60, 90)]),
)
