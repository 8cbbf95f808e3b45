"""Make 24 of four numbers, or another small target."""

import math
from collections.abc import Iterator
from itertools import combinations

from rgenv.tasks import Answers, Entry, LibraryVerifier, Task, integers_in, moving, question_numbers
from rgenv.tasks.answers.expressions import Arithmetic
from rgenv.tasks.formulas import makes_target, random_formula
from rgenv.tasks.safe_parse import ARITHMETIC, parser


def verify(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 for a formula that makes 24 and uses each given number once.

    The library gives ``1*1*4*6`` 1.0 on every problem.
    """
    return makes_target(answer, entry["metadata"]["numbers"], 24)


def shortcuts(question: str) -> Answers:
    """Write the numbers in order with fixed operators between them."""
    a, b, c, d = sorted(integers_in(question.split("using ", 1)[1].split(".", 1)[0]))[:4]
    return {
        "add all": f"{a}+{b}+{c}+{d}",  # .20, .35 at 0.5
        "multiply all, but divide by the least": f"{b}*{c}*{d}/{a}",  # .08, .33 at 0
    }


def work(entry: Entry) -> float:
    """Return the binary logarithm of the expressions a random search tries until it finds 24."""
    results = list(outcomes(tuple(map(float, entry["metadata"]["numbers"]))))
    found = sum(abs(result - 24) < 1e-6 for result in results)
    return math.log2(len(results) / max(found, 1))


def outcomes(numbers: tuple[float, ...]) -> Iterator[float]:
    """Yield the value of each expression that uses every number once, many of them twice."""
    if len(numbers) == 1:
        yield numbers[0]
        return
    for i, j in combinations(range(len(numbers)), 2):
        a, b = numbers[i], numbers[j]
        rest = tuple(x for place, x in enumerate(numbers) if place not in (i, j))
        values = [a + b, a - b, b - a, a * b, *([a / b] if b else []), *([b / a] if a else [])]
        for value in values:
            yield from outcomes((*rest, value))


TASK = Task(
    answer=Arithmetic(),
    also_right="any formula of the four numbers that has the value 24",
    verify=verify,
    clarify=(("", "Use each of the numbers exactly once."),),
    guarded={"parse_expr": parser(ARITHMETIC)},
    shortcuts=shortcuts,
    family=question_numbers,
    work=work,
    # Larger numbers make fewer formulas; problems are also chosen by the share of formulas that
    # make 24.
    levels=moving(
        value=[(1, 8), (1, 9), (2, 9), (3, 10), (4, 10)],
        work=[(3, 6.3), (5.8, 6.9), (6.9, 7.7), (7.6, 8.6), (8.5, 13)],
    ),
    faster={"games.puzzle24:Puzzle24Dataset:_generate_candidate_expression": random_formula},
)
