"""Count the primes of an interval."""

from rgenv.tasks import Number, Task, moving, question_numbers

TASK = Task(
    answer=Number(unit="primes?|prime numbers?"),
    family=question_numbers,
    # In shorter intervals than these, an estimate by the logarithm is often right.
    levels=moving(n=[(100, 2000), (200, 3000), (500, 5000), (1000, 10000), (2000, 20000)]),
    prepared=("max_n",),
)
