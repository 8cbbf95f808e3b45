"""Find the path to a node in a graph like a star."""

from rgenv.tasks import Entry, Forms, Task, by_library, moving, question_numbers
from rgenv.tasks.answers.lists import Numbers, joined_items, separated_forms, word


class NodePath(Numbers):
    """The nodes of a path in any form of a list."""

    def read(self, text: str, entry: Entry) -> str | None:
        return joined_items(text, word, " ")

    def forms(self, reference: str, question: str) -> Forms:
        return separated_forms(reference, int, arrows=True)


TASK = Task(
    answer=NodePath(),
    verify=by_library,
    family=question_numbers,
    # Larger labels do not make a graph harder: the number of arms and their length do.
    levels=moving(
        path_length=[(3, 4), (4, 5), (5, 6), (6, 7), (8, 9)],
        degree=[8, 8, 9, 10, 11],
        node_range=[1000],
    ),
)
