"""Add and subtract whole numbers."""

from rgenv.tasks import Entry, Number, Task, changed, moving, question_numbers, random_of, replaced
from rgenv.tasks.formulas import shortcuts_of_sums

ROOM = 4
"""The fewest terms: of two or three, the sum of all is right too often, whatever the signs."""
FIRST_MINUS = 0.85
"""The share of sums whose first sign is a minus. Behind a plus, brackets make no difference."""


def correct(entry: Entry) -> Entry:
    """Write numbers of several lengths, the longest of which is added as often as subtracted.

    Half of the library's sums have numbers of one or two digits, and most are positive. Sums of few
    terms, or with negative ones, stay as they are.
    """
    rng, meta = random_of(entry), entry["metadata"]
    most, (fewest_digits, most_digits) = (
        meta["difficulty"][f"num_{x}"] for x in ("terms", "digits")
    )
    if most[1] < ROOM or "- -" in (old := meta["expression"]) or "+ -" in old or old[0] == "-":
        return entry
    count = meta["num_terms"] if meta["num_terms"] >= ROOM else rng.randint(ROOM, most[1])
    signs = ["+", "-" if rng.random() < FIRST_MINUS else "+", *rng.choices("+-", k=count - 2)]
    sign = rng.choice("+-")
    places = [place for place in range(count) if signs[place] == sign] or [0]
    longest = rng.choice(places)
    digits = [rng.randint(fewest_digits, most_digits) for _ in range(count)]
    digits[longest] = most_digits
    numbers = [rng.randrange(10**n // 10 if n > 1 else 0, 10**n) for n in digits]
    terms = " ".join(f"{sign} {number}" for sign, number in zip(signs, numbers, strict=True))
    result = sum(n if sign == "+" else -n for sign, n in zip(signs, numbers, strict=True))
    text = terms.removeprefix("+ ")
    return changed(
        entry,
        replaced(entry["question"], f"{old} =", f"{text} ="),
        str(result),
        expression=text,
        num_terms=count,
        num_digits=most_digits,
    )


TASK = Task(
    answer=Number(),
    correct=correct,
    shortcuts=shortcuts_of_sums,
    kept={"add all": 0.4, "subtract all": 0.4},
    family=question_numbers,
    levels=moving(
        terms=[(4, 4), (5, 6), (7, 8), (9, 10), (12, 12)],
        digits=[(1, 1), (2, 2), (2, 3), (3, 4), (4, 5)],
    ),
)
