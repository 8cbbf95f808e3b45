"""Score what an answer says, by the verifier of its task's record or else by the library's."""

from rgenv.tasks.answers.kind import canonical
from rgenv.tasks.entry import Entry
from rgenv.tasks.record import LibraryVerifier
from rgenv.tasks.registry import record_of


def verify(task: str, answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return the score of an answer, bare or inside ``<answer>`` tags.

    Our verifiers give the tagged form 0.0: the same answer is also scored without its tags.
    Raises whatever the library's verifier raises.
    """
    record = record_of(task)
    ours = record.verify
    if answer.startswith("<answer>"):
        return library(answer) if ours is None else 0.0
    form = canonical(record.answer, answer, entry)
    return library(form) if ours is None else ours(form, entry, library)
