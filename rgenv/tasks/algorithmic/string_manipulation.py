"""Rewrite a string by rules until none applies."""

from rgenv.tasks import Answers, Entry, Task, Text, moving, part_of
from rgenv.tasks.symmetries import letter_pattern


def correct(entry: Entry) -> Entry | None:
    """Return None if the library makes "aa" of "cb", by a rule that means "a"."""
    meta = entry["metadata"]
    is_wrong = "cb" in meta["states"] and "prefix is 'cb'" in " ".join(meta["selected_rules"])
    return None if is_wrong else entry


def shortcuts(question: str) -> Answers:
    return {"copy the string": question.split()[-1]}  # .31 at the defaults, .03 at .5


def family(entry: Entry) -> object:
    """Keep the pattern of the string; ignore letters, reading backwards, the rules."""
    return letter_pattern(part_of(r"^(\w+)\s*\Z", entry))


TASK = Task(
    answer=Text(),
    correct=correct,
    clarify=(
        (
            "remove the middle character",
            "Of the two characters in the middle of a string of even length, the right one is "
            "removed.",
        ),
    ),
    shortcuts=shortcuts,
    family=family,
    # 500 letters are long rather than deep: rules work on the ends of a string. Their number
    # grows with the string.
    levels=moving(
        string_length=[(5, 12), (9, 15), (13, 19), (17, 23), (22, 30)],
        num_rules=[(4, 6), (7, 9), (10, 12), (13, 15), (16, 18)],
    ),
)
