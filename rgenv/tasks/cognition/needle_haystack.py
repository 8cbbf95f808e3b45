"""Find who likes what, among many sentences."""

from rgenv.tasks import Entry, Task, moving
from rgenv.tasks.answers.words import Word
from rgenv.tasks.symmetries import small_words


def correct(entry: Entry) -> Entry | None:
    """Return the entry; None if the story has two people do what the question asks for."""
    story, question = entry["question"].rsplit("\n", 1)
    doing = question.removeprefix("Who ").split("? Reply")[0]
    people = {
        sentence.removesuffix(f" {doing}")
        for sentence in story.strip().removesuffix(".").split(". ")
        if sentence.endswith(f" {doing}")
    }
    return entry if people == {entry["answer"]} else None


def family(entry: Entry) -> object:
    """Keep small words of the last line; ignore names, the haystack."""
    return small_words(entry["question"].splitlines()[-1])


TASK = Task(
    answer=Word(),
    correct=correct,
    family=family,
    # The sentences have nothing in common, so only their number can grow; 360 of them are long
    # rather than deep.
    levels=moving(num_statements=[(5, 10), (15, 25), (35, 55), (65, 95), (110, 160)]),
)
