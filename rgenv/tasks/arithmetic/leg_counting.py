"""Add up the legs of animals."""

from rgenv.tasks import Number, Task, moving, question_numbers

TASK = Task(
    answer=Number(unit="legs?"),
    clarify=(("starfish", "The five arms of a starfish count as legs."),),
    family=question_numbers,
    # With one kind of animal, a guess at its legs is a guess at the answer.
    levels=moving(
        animals=[(2, 4), (5, 8), (9, 12), (16, 20), (26, 34)],
        instances=[(2, 9), (2, 15), (3, 25), (5, 40), (9, 80)],
    ),
    accepted={"shortcut": "the answer is a sum over the animals in the question"},
)
