"""Count the consistent readings of self-referring statements."""

import re

from rgenv.tasks import Entry, Levels, Number, Task
from rgenv.tasks.symmetries import sorted_numbers, sorted_words


def family(entry: Entry) -> object:
    """Keep words and numbers of the statements; ignore order of the statements, true and false."""
    text = re.sub("true|false", "so", entry["question"].casefold())
    return sorted_words(re.sub("[0-9]+", "", text)), sorted_numbers(text)


TASK = Task(
    answer=Number(unit="solutions?"),
    family=family,
    levels=Levels(
        fixed="The only parameter, difficulty, changes no problem: the library reads it nowhere."
    ),
)
