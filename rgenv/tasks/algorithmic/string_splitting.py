"""Take machines apart by rules, and count what is left."""

from rgenv.tasks import Answers, Task, integers_in, moving, question_numbers
from rgenv.tasks.answers.lists import Counts


def shortcuts(question: str) -> Answers:
    a, b, c = integers_in(question.split("Now, you have ", 1)[1])[:3]
    x, y = 2 * a + b // 2, a + c // 2
    z = min(x, y)
    return {"take each apart, then join parts": f"0 {b % 2} {c % 2} {x - z} {y - z} {z}"}  # .78


TASK = Task(
    answer=Counts("A", "B", "C", "X", "Y", "Z"),
    shortcuts=shortcuts,
    kept={"take each apart, then join parts": 0.3},
    family=question_numbers,
    # Hundreds of machines repeat the same few rules.
    levels=moving(initial_machines=[(1, 7), (4, 11), (8, 17), (14, 26), (22, 40)]),
    accepted={
        "shortcut": (
            "what is left depends on two parities; a formula that assumes them is "
            "right in half of the problems"
        )
    },
)
