"""Count the swaps that make a string of 0 and 1 alternate."""

from itertools import pairwise
from random import Random

from rgenv.tasks import Entry, Levels, Task, exact, random_of, spans
from rgenv.tasks.answers.numbers import Number
from rgenv.tasks.rewriting import MAX_SWAPS, with_solution
from rgenv.tasks.symmetries import last_string

IMPOSSIBLE_SHARE = 0.04
"""The share of strings that can't alternate. Their counts of digits give them away."""


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
    digits = _swapped(rng, length, swaps, rng.randint(2, 4 * least))
    if digits is None:
        return None
    # Fewer digits are in wrong places than in right ones, so blocks at the ends would tell which.
    start = rng.randrange(length)
    digits = digits[start:] + digits[:start]
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

    Digits in their places and others make up `blocks` blocks, so that the number of equal digits
    next to each other says nothing about the swaps. The first digit is wrong half of the time.
    """
    for _ in range(MAX_SWAPS):
        wrong_first = rng.randrange(2)
        wrong = _parts(rng, 2 * swaps, (blocks + wrong_first) // 2)
        right = _parts(rng, length - 2 * swaps, (blocks + 1 - wrong_first) // 2)
        is_wrong: list[int] = []
        for block in range(blocks):
            bad = (block + wrong_first) % 2
            is_wrong += [bad] * (wrong if bad else right).pop()
        if sum(is_wrong[1::2]) == swaps:
            first = rng.randrange(2)
            return ["01"[(first + place + bad) % 2] for place, bad in enumerate(is_wrong)]
    return None


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
    verify=exact,
    family=last_string,
    # The curriculum starts at or above the default, so easier values are added; its strings of
    # 1,000 bits are long, not deep.
    levels=Levels(knots=spans(n=[(8, 22), (18, 28), (28, 42), (42, 60), (60, 90)])),
)
