"""Score what an answer says, by the verifier of its task's record."""

from rgenv.tasks.answers.kind import canonical
from rgenv.tasks.entry import Entry
from rgenv.tasks.record import LibraryVerifier, by_library
from rgenv.tasks.registry import record_of
from rgenv.tasks.verifying import exact


def verify(task: str, answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return the score of an answer, bare or inside ``<answer>`` tags.

    Our verifiers give the tagged form 0.0: the same answer is also scored without its tags.
    Raises whatever the library's verifier raises.
    """
    record = record_of(task)
    if answer.startswith("<answer>"):
        return library(answer) if record.verify is by_library else 0.0
    return (record.verify or exact)(canonical(record.answer, answer, entry), entry, library)
