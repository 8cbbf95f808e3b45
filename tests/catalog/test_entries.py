"""rgenv/catalog/entries.py: what is known about each task, and finding tasks."""

import json
from dataclasses import replace

import pytest

from rgenv.catalog.entries import Entry, entries, matching
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
    assert found["later"].as_json()["about"] is None


def test_an_entry_is_json() -> None:
    """The JSON has each level with its prompts and its blind share."""
    content = json.loads(json.dumps(known()["acre"].as_json()))
    assert content["answer"] == "choice" and content["has_levels"] is False
    assert content["health"] == "known" and content["faults"] == {"tell": "few answers"}
    [level] = content["levels"]
    assert level["level"] is None and level["prompt_tokens"] == {"typical": 130, "longest": 140}
    assert 0.5 < level["blind_share"] < 0.6


@pytest.mark.parametrize(
    ("words", "tasks"),
    [
        (["DIVISOR"], ["gcd"]),
        (["arith", "number"], ["gcd"]),
        (["a"], ["gcd", "acre", "later"]),
        (["induction"], ["acre"]),
        (["gcd", "acre"], []),
        ([], ["gcd", "acre", "later"]),
    ],
)
def test_every_word_must_occur(words: list[str], tasks: list[str]) -> None:
    """Words are searched in name, category, kind and description, in any letters."""
    assert [one.task for one in matching(known().values(), words)] == tasks
