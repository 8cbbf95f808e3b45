"""rgenv/catalog/entries.py: what is known about each task."""

from dataclasses import replace

from rgenv.catalog.entries import Entry, entries
from rgenv.catalog.installed import Library
from rgenv.measured import TASKS, Health, PromptTokens

TOKENS = PromptTokens(130, 140)
FOUND = {
    "gcd": Health("binary", 40, TOKENS, {None: TOKENS, 0.5: TOKENS}, {}, {}),
    "acre": Health("partial", 20, TOKENS, {None: TOKENS}, {"tell": "few answers"}, {}),
}
TABLE = {task: replace(TASKS[task], health=one) for task, one in FOUND.items()}
LIBRARY = Library("0.2.0", {"gcd": "arithmetic", "acre": "induction", "later": "games"})


def known(**states: str) -> dict[str, Entry]:
    """Return the entries of three tasks, some of them not as they were measured."""
    library = Library(LIBRARY.version, LIBRARY.categories, states)
    return {one.task: one for one in entries(library, TABLE, library.categories)}


def test_what_was_measured_is_known() -> None:
    """Levels are those with a number; health is that of the validation."""
    found = known()
    assert found["gcd"].levels == [0.5] and found["gcd"].health == "healthy"
    assert found["acre"].levels == [] and found["acre"].health == "known: tell"


def test_nothing_is_claimed_of_another_source() -> None:
    """A changed task keeps its description, a new one has its name alone; neither was checked."""
    found = known(gcd="changed", later="new")
    assert found["gcd"].about and found["gcd"].measured is None and found["gcd"].levels == []
    assert found["gcd"].health == "not checked: another source"
    assert (found["later"].about, found["later"].kind) == ("", "")
    assert found["later"].health == "not checked: a new task"
