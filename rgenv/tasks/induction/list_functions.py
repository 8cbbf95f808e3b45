"""Find the rule behind changed lists, and apply it."""

import json

from rgenv.tasks import Answers, Entry, Levels, Task, exact
from rgenv.tasks.answers.lists import BracketedNumbers
from rgenv.tasks.questions import text_after
from rgenv.tasks.symmetries import part_of, sorted_numbers


def shortcuts(question: str) -> Answers:
    """Copy the test input, or repeat an example's output."""
    values = json.loads(text_after("Input: ", question).split("]", 1)[0] + "]")
    first = next(line for line in question.split("\n") if line.startswith("Output "))
    return {
        "copy the input": str(values),  # .05
        "repeat the first output": first.split(": ", 1)[1],  # .15
    }


def family(entry: Entry) -> object:
    """Keep the numbers of the last input; ignore their order, the examples."""
    return sorted_numbers(part_of(r"^Input: (.*)$", entry))


TASK = Task(
    answer=BracketedNumbers(),
    verify=exact,
    shortcuts=shortcuts,
    family=family,
    levels=Levels(fixed="The task has no parameters."),
)
