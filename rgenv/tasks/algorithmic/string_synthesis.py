"""Combine blocks by rules, and count what is left."""

from rgenv.tasks import Answers, Task, integers_in, moving, question_numbers
from rgenv.tasks.answers.lists import Counts


def shortcuts(question: str) -> Answers:
    a, b, c = integers_in(question.split("Now, you have ", 1)[1])[:3]
    ab, bc, abc = min(a, b), min(b, c), min(a, b, c)
    return {
        "only the first rule": f"{a - abc} {b - abc} {c - abc} {abc} 0 0 0 0 0",  # .25
        "only the second rule": f"{a - ab} {b - ab} {c} 0 0 {ab} 0 0 0",  # .18
        "only the third rule": f"{a} {b - bc} {c - bc} 0 {bc} 0 0 0 0",  # .10
        "only the fourth rule": f"{a} {b} {c % 2} 0 0 {c // 2} 0 0 0",  # .18
    }


TASK = Task(
    answer=Counts("[A]", "[B]", "[C]", "{A}", "{B}", "{C}", "(A)", "(B)", "(C)"),
    clarify=(("", "After each use of a rule, start again with the first rule."),),
    shortcuts=shortcuts,
    family=question_numbers,
    # The block that runs out first says which of the second to fourth rule follows the first, so a
    # third of the problems needs three rules only. Hundreds of blocks repeat the same few rules.
    levels=moving(initial_blocks=[(0, 9), (3, 12), (8, 17), (14, 26), (22, 40)]),
)
