"""Add up the legs of animals."""

from rgenv.tasks import Answers, Levels, Task, exact, question_numbers, spans
from rgenv.tasks.answers.numbers import Number
from rgenv.tasks.questions import integers_in


def shortcuts(question: str) -> Answers:
    """Give every animal the same number of legs."""
    total = sum(integers_in(question.rsplit("if you have", 1)[1]))
    return {f"{legs} legs each": str(legs * total) for legs in (4, 6)}  # .04 .05


TASK = Task(
    answer=Number(unit="legs?"),
    verify=exact,
    clarify=(("starfish", "The five arms of a starfish count as legs."),),
    shortcuts=shortcuts,
    family=question_numbers,
    # With one kind of animal, a guess at its legs is a guess at the answer.
    levels=Levels(
        knots=spans(
            animals=[(2, 4), (5, 8), (9, 12), (16, 20), (26, 34)],
            instances=[(2, 9), (2, 15), (3, 25), (5, 40), (9, 80)],
        )
    ),
    accepted={"shortcut": "the answer is a sum over the animals in the question"},
)
