"""Pick the largest or smallest of numbers in many formats."""

from decimal import Decimal
from random import Random

from rgenv.tasks import Entry, Forms, Task, changed, moving, question_numbers, random_of
from rgenv.tasks.answers.numbers import DecimalNumber


def _candidates(question: str) -> list[str]:
    return question.rpartition("candidates:")[2].split()


def _value(text: str) -> Decimal:
    return Decimal(text.replace(",", ""))


class Candidate(DecimalNumber):
    """The number that is asked for, as the question shows it or as a plain decimal."""

    def forms(self, reference: str, question: str) -> Forms:
        right = Decimal(reference)
        same = [text for text in _candidates(question) if _value(text) == right]
        forms = {f"candidate {number}": text for number, text in enumerate(same[:3], 1)}
        return forms | super().forms(reference, question)

    def misses(self, reference: str, question: str, rng: Random) -> Forms:
        right = Decimal(reference)
        values = set(map(_value, _candidates(question)))
        others = sorted(float(value) for value in values if value != right)
        changes = {"no candidate": f"{float(reference) + 1:.3f}"}
        if others:
            chosen = {"first": others[0], "last": others[-1], "any": rng.choice(others)}
            changes |= {name: str(value) for name, value in chosen.items()}
        return changes


FEWEST = 8
"""Candidates. Of fewer, reading half of the digits leaves one of two or three."""
MILLI = Decimal("0.001")
LARGEST_EXPONENT = 6


def correct(entry: Entry) -> Entry | None:
    """Replace candidates, so that exponents decide, and decimals.

    Most of them agree with the right one in one decimal. One has better decimals only, and others
    have digits that would win, but another order of magnitude. In the library's questions all are
    of the same order, so that exponents can be ignored.
    """
    rng = random_of(entry)
    head, marker, _ = entry["question"].rpartition("candidates:")
    sign = 1 if "pick the largest number" in entry["question"] else -1
    values = [_value(text).quantize(MILLI) for text in _candidates(entry["question"])]
    if min(values) < 1:
        return None
    values += rng.choices(values, k=max(0, FEWEST - len(values)))
    whole = int(sign * max(sign * value for value in values))
    values = [value - sign if int(value) == whole else value for value in values]
    spread = int(max(values) - min(values)) + 1
    best, *others = _near(rng, sign, whole, len(values) // 2 + 1)
    others.append(
        whole - sign + MILLI * rng.randint(990 * max(sign, 0) + 1, 990 * max(sign, 0) + 9)
    )
    for _ in range(max(1, len(values) // 6)):
        digits = best + sign * rng.randint(1, spread)
        others.append((digits.scaleb(-sign)).quantize(MILLI))
    rng.shuffle(values)
    values[: 1 + len(others)] = [best, *others]
    exponents = rng.choices(range(-LARGEST_EXPONENT, LARGEST_EXPONENT + 1), k=len(values))
    shown = [_shown(*pair, rng) for pair in zip(values, exponents, strict=True)]
    # Without its exponent, a wrong one wins.
    shown[1] = _power(values[1], -sign * rng.randint(1, LARGEST_EXPONENT))
    rng.shuffle(shown)
    question = f"{head}{marker} {' '.join(shown)}\n"
    numbers = [float(_value(text)) for text in shown]
    return changed(entry, question, str(best), solution=float(best), candidates=numbers)


def _near(rng: Random, sign: int, whole: int, count: int) -> list[Decimal]:
    """Return numbers that agree in one decimal, also rounded, the best one first.

    The one with the fewer decimals is the larger one, which its decimals as a whole number are not.
    The library takes what is within 0.01 of the best one for it.
    """
    start = whole + rng.randint(1, 8) * 100 * MILLI + rng.choice([0, 50]) * MILLI
    hundredths = 10 * rng.randint(3, 4)
    if sign > 0:
        thousandths = [hundredths, *(rng.randint(1, hundredths - 20) for _ in range(count - 1))]
    else:
        thousandths = [hundredths - 20 - rng.randint(1, 9), hundredths]
        thousandths += [rng.randint(hundredths, 49) for _ in range(count - 2)]
    return [(start + MILLI * number).normalize() for number in thousandths]


def _shown(value: Decimal, exponent: int, rng: Random) -> str:
    return rng.choice([f"{value:.6f}", f"{value:,}", _power(value, exponent)])


def _power(value: Decimal, exponent: int) -> str:
    return f"{value.scaleb(-exponent):f}e{exponent:+03d}"


TASK = Task(
    answer=Candidate(),
    correct=correct,
    family=question_numbers,
    # Each of the three formats is a third of the right answers, so a program that can't read one is
    # right in two thirds by nature. The third decimal never decides, since the verifier takes 0.01
    # more or less for right. The candidates have to differ, so their number grows, and their
    # distance shrinks to what three decimals can show.
    levels=moving(
        num_candidates=[(7, 10), (11, 16), (17, 24), (25, 34), (36, 48)],
        max_delta=[200.0, 100.0, 50.0, 25.0, 10.0],
        n=[(1000, 20000), (4000, 60000), (20000, 300000), (100000, 2000000), (1000000, 10000000)],
    ),
)
