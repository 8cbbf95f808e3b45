"""Find the least common multiple of numbers."""

import math

from rgenv.tasks import Entry, Number, Task, moving, question_numbers
from rgenv.tasks.rewriting import changed, random_of, replaced

LEAST_NUMBERS = 3
MAX_DRAWS = 1000


def correct(entry: Entry) -> Entry | None:
    """Replace numbers until none can be left out; None if that takes too many draws.

    Of two numbers, the multiple is often their product divided by the difference. Of three, it is
    often the product or half of it, so that a chance decides how small a part it has to be. Of
    many, it seldom depends on each one.
    """
    rng, meta = random_of(entry), entry["metadata"]
    old, (low, high) = meta["numbers"], meta["difficulty"]["value"]
    numbers = [*old, *(rng.randint(low, high) for _ in range(LEAST_NUMBERS - len(old)))]
    part = 2 ** -rng.uniform(0, 4.5)
    for _ in range(MAX_DRAWS):
        answer = math.lcm(*numbers)
        places = range(len(numbers))
        spare = [n for n in places if math.lcm(*numbers[:n], *numbers[n + 1 :]) == answer]
        if not spare and answer < part * math.prod(numbers):
            break
        numbers[rng.choice(spare or places)] = rng.randint(low, high)
    else:
        return None
    before, after = (", ".join(map(str, values)) for values in (old, numbers))
    question = replaced(entry["question"], f": {before}", f": {after}")
    return changed(entry, question, str(answer), numbers=numbers, result=answer)


TASK = Task(
    answer=Number(),
    correct=correct,
    family=question_numbers,
    # More numbers are more work; larger ones are not much.
    levels=moving(
        numbers=[(3, 3), (3, 4), (4, 5), (5, 6), (6, 8)],
        value=[(6, 36), (8, 48), (10, 60), (12, 80), (15, 100)],
    ),
)
