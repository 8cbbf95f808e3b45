"""Find the rule behind changed lists, and apply it."""

from rgenv.tasks import Answers, Entry, Levels, Task, part_of
from rgenv.tasks.answers.lists import BracketedNumbers
from rgenv.tasks.symmetries import sorted_numbers


def shortcuts(question: str) -> Answers:
    first = next(line for line in question.split("\n") if line.startswith("Output "))
    return {"repeat the first output": first.split(": ", 1)[1]}  # .15


def family(entry: Entry) -> object:
    """Keep the numbers of the last input; ignore their order, the examples."""
    return sorted_numbers(part_of(r"^Input: (.*)$", entry))


TASK = Task(
    answer=BracketedNumbers(),
    shortcuts=shortcuts,
    family=family,
    levels=Levels(fixed="The task has no parameters."),
)
