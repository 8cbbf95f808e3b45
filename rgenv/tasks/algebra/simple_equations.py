"""Solve a linear equation."""

from rgenv.tasks import (
    Entry,
    Forms,
    Number,
    Task,
    changed,
    moving,
    question_numbers,
    random_of,
    replaced,
)
from rgenv.tasks.answers.numbers import assignments, without_name


class Unknown(Number):
    """A number, or the equation ``name = number`` for the unknown of the question."""

    def read(self, text: str, entry: Entry) -> str | None:
        return super().read(without_name(text, str(entry["metadata"].get("variable", ""))), entry)

    def forms(self, reference: str, question: str) -> Forms:
        return super().forms(reference, question) | assignments(reference, question)


def correct(entry: Entry) -> Entry:
    """Write another equation with the same solution, and a constant longer than the other term.

    Beside a large term, the first digit of the library's constant is all that counts. Its variable
    may also cancel out.
    """
    rng, meta = random_of(entry), entry["metadata"]
    least, most = (meta["difficulty"][bound] for bound in ("min_value", "max_value"))
    factor = rng.choice((-1, 1)) * rng.randint(least, most)
    constant = rng.choice((-1, 1)) * rng.randint(10 * most**2, 100 * most**2)
    term = f"{abs(factor)}*{meta['variable']}".removeprefix("1*")
    if factor < 0 < constant:
        left = f"{constant} - {term}"
    else:
        left = f"{'-' * (factor < 0)}{term} {'+-'[constant < 0]} {abs(constant)}"
    equation = f"{left} = {factor * int(entry['answer']) + constant}"
    question = replaced(entry["question"], meta["equation"], equation)
    return changed(entry, question, entry["answer"], equation=equation)


TASK = Task(
    answer=Unknown(),
    correct=correct,
    family=question_numbers,
    # Each equation has two steps, subtract and divide. Nothing but the length of these two
    # operations can move. As the solution is whole, the last digits of a constant count little.
    levels=moving(value=[(2, 20), (10, 100), (60, 600), (300, 4000), (2000, 20000)]),
)
