"""Find the probability of a number of heads."""

import math
import random
import re
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

from rgenv.tasks import Answer, Entry, Forms, Task, changed, moving, random_of
from rgenv.tasks.answers.fractions import fraction_forms, read_fraction, read_probability
from rgenv.tasks.answers.notation import MAX_CHARS, agrees, place_value, plain
from rgenv.tasks.limits import bounded_int, max_digits

SHOWN_DIGITS = 4
"""Significant digits that a rounded probability has to show. The normal distribution has three of
them for half of the sums."""
WRITTEN_DIGITS = (4, 5, 6)
CERTAIN = 0.9995
"""From this probability on, it rounds to one at three decimals."""


ROOM = 8
"""The fewest flips with enough numbers of heads that are no edge cases."""
EXACTLY, ONE_BOUND = 1 / 4, 1 / 2
"""The shares of problems with one number of heads, of those that ask for exact numbers in the
library, and with one bound, of the others. The rest has two bounds."""
FEWEST_COUNTS = 4
"""The fewest numbers of heads between two bounds."""
LOWER = {"at least": 0, "more than": -1}
UPPER = {"at most": 0, "fewer than": 1}
"""Words for a bound -> what is added to the number of heads."""
_ASKED = re.compile(
    rf"(?:(exactly|{'|'.join(LOWER)}) (\d+))?(?: but )?(?:({'|'.join(UPPER)}) (\d+))?"
    r" (?:heads|tails) in (\d+) fair"
)


def _counts(question: str) -> tuple[int, int, int]:
    """Return the fewest and the most heads, or tails, that a question asks for, and the flips."""
    [(lower, low, upper, high, flips)] = _ASKED.findall(question)
    fewest = int(low) - LOWER.get(lower, 0) if lower else 0
    if lower == "exactly":
        return fewest, fewest, int(flips)
    return fewest, int(high) - UPPER[upper] if upper else int(flips), int(flips)


def _asked(question: str) -> Fraction:
    """Return the probability that a question asks for; reference answers are rounded."""
    fewest, most, flips = _counts(question)
    return Fraction(sum(math.comb(flips, n) for n in range(fewest, most + 1)), 2**flips)


def _rounded(value: Decimal, digits: int) -> str:
    """Write a number with some significant digits."""
    return f"{value.quantize(Decimal(1).scaleb(value.adjusted() - digits + 1), ROUND_HALF_UP):f}"


class Chance(Answer):
    """A probability: ``227/256``, or ``0.887`` or ``88.67%`` with three digits or more."""

    name = "number"
    longest = MAX_CHARS

    def read(self, text: str, entry: Entry) -> str | None:
        right = _asked(entry["question"])
        if fraction := read_fraction(text):
            value = Fraction(*fraction)
            same = value == right
        elif given := read_probability(text):
            value = given.value
            same = value == right or (
                given.digits >= SHOWN_DIGITS
                and agrees(given, right, place_value(right, SHOWN_DIGITS))
            )
        else:
            return None
        return str(entry["answer"]) if same else plain(value)

    def forms(self, reference: str, question: str) -> Forms:
        value, right = Decimal(reference), _asked(question)
        percent = {digits: _rounded(value * 100, digits) for digits in WRITTEN_DIGITS}
        forms = {f"percent, {digits} digits": f"{text}%" for digits, text in percent.items()}
        forms["percent after a space"] = f"{percent[4]} %"
        forms["percent in LaTeX"] = f"{percent[4]}\\%"
        for digits in WRITTEN_DIGITS:
            forms[f"{digits} significant digits"] = _rounded(value, digits)
        forms["about"] = f"≈ {_rounded(value, 4)}"
        forms["no zero in front"] = _rounded(value, 4).removeprefix("0")
        shown = right if math.isclose(right, value, rel_tol=1e-6) else Fraction(value)
        return forms | fraction_forms(shown.numerator, shown.denominator)

    def misses(self, reference: str, question: str, rng: random.Random) -> Forms:
        value = Decimal(reference)
        step = Decimal(1).scaleb(value.adjusted() - 1)
        changes = {
            "smaller": f"{value - step * rng.randint(10, 30) / 10:f}",
            "third digit": f"{value + rng.randint(2, 9) * step / 10:f}",
            "half": f"{value / 2:f}",
            "ten times": f"{value / 10:f}",
        }
        return changes | ({} if value == Decimal("0.5") else {"complement": f"{1 - value:f}"})


def correct(entry: Entry) -> Entry | None:
    """Ask for numbers of heads or tails in nine ways; None if the probability rounds to one.

    The library has two ways, so that one formula is right for half of the problems. Few flips, or
    nearly all, are edge cases.
    """
    rng, meta = random_of(entry), entry["metadata"]
    flips, most = meta["num_trials"], meta["difficulty"]["num_trials"][1]
    if most < ROOM:
        return entry if float(entry["answer"]) < CERTAIN else None
    if flips < ROOM:
        flips = rng.randint(ROOM, most)
    exact, share, edge = meta["problem_type"] == "exact", rng.random(), flips // 8
    count = rng.randint(flips // 4, flips - flips // 4)
    gap = FEWEST_COUNTS - 2
    low, high = sorted(rng.sample(range(edge, flips - edge - gap + 1), 2))
    words = [rng.choice([*bound]) for bound in (LOWER, UPPER)]
    bounds = [f"{words[0]} {low + LOWER[words[0]]}", f"{words[1]} {high + gap + UPPER[words[1]]}"]
    if exact and share < EXACTLY:
        asked = f"exactly {count}"
    elif not exact and share < ONE_BOUND:
        word = rng.choice([*LOWER, *UPPER])
        asked = f"{word} {count + {**LOWER, **UPPER}[word]}"
    else:
        asked = " but ".join(bounds)
    side = rng.choice(("heads", "tails"))
    question = _ASKED.sub(f"{asked} {side} in {flips} fair", entry["question"])
    value = _asked(question)
    if value >= CERTAIN:
        return None
    rational = {"numerator": int(value * 2**flips), "denominator": 2**flips}
    new = {"num_trials": flips, "k_heads": _counts(question)[0], "rational": rational}
    return changed(entry, question, f"{float(value):.10g}", **new)


def _large_exponent(answer: str) -> str | None:
    """Refuse numbers such as 1e999999999, all of whose digits ``Fraction`` writes out."""
    sizes = map(bounded_int, re.findall(r"[eE][-+]?([\d_]+)", answer))
    return "too large a decimal exponent" if any(size > 300 for size in sizes) else None


def family(entry: Entry) -> object:
    """Keep the number of flips and the numbers of heads; ignore heads and tails, and the words."""
    fewest, most, flips = _counts(entry["question"])
    return flips, min((fewest, most), (flips - most, flips - fewest))


TASK = Task(
    answer=Chance(),
    correct=correct,
    clarify=(("", "Answer with a fraction, or with at least four significant digits."),),
    limits=(max_digits(300), _large_exponent),
    family=family,
    # The easiest level asks for exact numbers of heads only; the number of trials makes
    # problems differ.
    levels=moving(
        trials=[(5, 22), (8, 22), (14, 28), (20, 36), (28, 44)],
        allow_at_least=[False, True, True, True, True],
        allow_exact=[True, True, True, True, False],
    ),
)
