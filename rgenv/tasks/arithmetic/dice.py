"""Find the probability that dice reach a sum."""

import math
from fractions import Fraction

from rgenv.tasks import Entry, Task, moving, question_numbers
from rgenv.tasks.answers.fractions import ReducedFraction, read_fraction, read_probability
from rgenv.tasks.answers.notation import plain


class Odds(ReducedFraction):
    """A fraction in lowest terms, or a decimal or percentage that is not rounded."""

    def read(self, text: str, entry: Entry) -> str | None:
        reference = str(entry["answer"])
        right = read_fraction(reference)
        if right is None:
            return None
        fraction = read_fraction(text)
        if fraction is not None:
            reduced = math.gcd(*fraction) == 1 and Fraction(*fraction) == Fraction(*right)
            return reference if reduced else f"{fraction[0]}/{fraction[1]}"
        given = read_probability(text)
        if given is None:
            return None
        return reference if given.value == Fraction(*right) else plain(given.value)


TASK = Task(
    answer=Odds(),
    also_right="nothing: the question asks for the reduced fraction",
    family=question_numbers,
    # The curriculum starts at or above the default, so easier values are added. With two dice,
    # larger ones make more different problems.
    levels=moving(num_dice=[2, 3, 4, 6, 8], max_dice_size=[24, 24, 24, 26, 30]),
    accepted={"shortcut": "the answer is computed from the dice in the question"},
)
