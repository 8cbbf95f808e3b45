"""Find the least common multiple of numbers."""

import math

from rgenv.tasks import Answers, Number, Task, integers_in, moving, question_numbers


def shortcuts(question: str) -> Answers:
    product = math.prod(integers_in(question.split(": ", 1)[1]))
    return {"the product": str(product), "half of the product": str(product // 2)}  # .23 .30


TASK = Task(
    answer=Number(),
    shortcuts=shortcuts,
    # Without any of these, a third of the product would be right in .27.
    kept={"the product": 0.2, "half of the product": 0.15},
    family=question_numbers,
    # More numbers are more work; larger ones are not much.
    levels=moving(
        numbers=[(2, 2), (2, 3), (3, 4), (4, 5), (6, 7)],
        value=[(4, 60), (6, 80), (8, 100), (10, 100), (15, 100)],
    ),
)
