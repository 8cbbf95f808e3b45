"""Pick the largest or smallest of numbers in many formats."""

from decimal import Decimal
from fractions import Fraction

from rgenv.tasks import Entry, Number, Task, changed, moving, obeys, question_numbers, random_of
from rgenv.tasks.answers.notation import plain, read_number

NOISE = Decimal("0.0005")
"""Candidates have three decimals; the rest is an error of floats, as in 4.9899999998."""


def _value(text: str) -> Decimal:
    return Decimal(text.replace(",", ""))


class Candidate(Number):
    """The number that is asked for, as the question shows it or to three decimals."""

    def read(self, text: str, entry: Entry) -> str | None:
        given = read_number(text)
        if given is None:
            return None
        right = Fraction(str(entry["answer"]))
        same = given.value in (right, round(right, 3))
        return str(entry["answer"]) if same else plain(given.value)


def correct(entry: Entry) -> Entry | None:
    """Take the number as the question shows it; None if another one differs by noise only."""
    question = entry["question"]
    shown = map(_value, question.rpartition("candidates:")[2].split())
    best, second, *_ = sorted(shown, reverse="pick the largest number" in question)
    return {**entry, "answer": f"{best:f}"} if abs(best - second) > NOISE else None


FEWEST, EXPONENT, POWER_SHARE = 8, 5, 0.75
"""The fewest candidates, where they are allowed; exponents; the share that is shown with one."""


def harden(entry: Entry) -> Entry | None:
    """Write exponents that decide: without them, .62 of the library's are right, .13 of these.

    Any candidate may have the exponent that makes it win if it is ignored, with the same chance.
    """
    rng, meta = random_of(entry), entry["metadata"]
    head, marker, listed = entry["question"].rpartition("candidates:")
    values = [round(_value(text), 3) for text in listed.split()]
    delta = meta["difficulty"]["min_delta"]
    while len(values) < FEWEST and obeys(entry, num_candidates=FEWEST):
        values.append(values[0] + round(Decimal(rng.uniform(-delta, delta)), 3))
    decoy, wins = rng.choice(values), EXPONENT + 1 if meta["size"] == "smallest" else -EXPONENT - 1
    shown = []
    for value in values:
        exponent = wins if value == decoy else rng.randint(-EXPONENT, EXPONENT)
        if value == decoy or rng.random() < POWER_SHARE:
            shown.append(f"{value.scaleb(-exponent):f}e{exponent:+03d}")
        else:
            shown.append(rng.choice([f"{value:.6f}", f"{value:,}"]))
    rng.shuffle(shown)
    question = f"{head}{marker} {' '.join(shown)}\n"
    best = (max if meta["size"] == "largest" else min)(values)
    facts = {"solution": float(best), "candidates": list(map(float, values))}
    facts |= {"formatted_candidates": shown, "num_candidates": len(shown)}
    return correct(changed(entry, question, str(best), **facts))


TASK = Task(
    answer=Candidate(),
    also_right="any notation of the number",
    correct=correct,
    harden=harden,
    family=question_numbers,
    # Each of the three formats is a third of the right answers, so a program that can't read one is
    # right in half by nature. The candidates have to differ, so their number grows, and their
    # distance shrinks to what three decimals can show.
    levels=moving(
        num_candidates=[(3, 6), (6, 10), (10, 16), (16, 26), (26, 40)],
        max_delta=[200.0, 100.0, 50.0, 25.0, 10.0],
        n=[(1000, 20000), (4000, 60000), (20000, 300000), (100000, 2000000), (1000000, 10000000)],
    ),
    accepted={"shortcut": "half of the questions ask for the largest number"},
)
