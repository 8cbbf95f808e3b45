"""Corrections for tasks on logic and on people, derived from the sentences of the question.

Example::

    aiw(entry)    # Matilda's colleagues in both circles, without Matilda

Each public function is the correction of one task: it returns the entry, a corrected copy, or None
(see the package). It may raise on a question in another form.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations

from rgenv.tasks.entry import Entry
from rgenv.worker.labels.surfaces.shared import random_of
from rgenv.worker.verifiers import logic

# --- propositional_logic ------------------------------------------------------------------------


def propositional_logic(entry: Entry) -> Entry | None:
    """Negate some variables, and replace the example answer with the shortest right conclusion.

    None if the premises together imply nothing that a single one does not imply. In the library's
    premises no variable is given as true by itself, and many as false.
    """
    entry = _with_signs(entry)
    metadata = entry["metadata"]
    tables = logic.variable_tables(metadata["variables"])
    premises = [logic.truth_table(logic.parse(text), tables) for text in metadata["premises"]]
    for text in _short_conclusions(metadata["variables"]):
        if logic.is_inferred(logic.parse(text), premises, tables):
            return {**entry, "metadata": {**metadata, "example_answer": text}}
    return None


def _with_signs(entry: Entry) -> Entry:
    """Return the entry with half of the variables negated wherever they stand."""
    metadata = entry["metadata"]
    rng = random_of(entry)
    negated = "".join(name for name in metadata["variables"] if rng.random() < 0.5)
    if not negated:
        return entry
    head, marker, question = entry["question"].partition("Given:\n")
    *shown, rest = question.split("\n.")
    lines, premises = (
        [re.sub(f"([{negated}])", r"¬\1", text).replace("¬¬", "") for text in texts]
        for texts in (shown, metadata["premises"])
    )
    question = head + marker + "\n.".join([*lines, rest])
    return {**entry, "question": question, "metadata": {**metadata, "premises": premises}}


def _short_conclusions(names: list[str]) -> Iterator[str]:
    """Yield every variable and its negation, then the disjunctions of two of them."""
    literals = [text for name in names for text in (name, f"¬{name}")]
    yield from literals
    for first, second in combinations(literals, 2):
        if first.strip("¬") != second.strip("¬"):
            yield f"({first} ∨ {second})"


# --- people -------------------------------------------------------------------------------------


def aiw(entry: Entry) -> Entry | None:
    """Count Matilda's colleagues in both circles; None for a brother who was not introduced."""
    question = entry["question"]
    counts = [int(number) for number in re.findall(r"\d+", question)]
    if "Matilda" in question:
        _, women_around_her_friend, _, women_around_him = counts
        # In the first circle the friend replaces Matilda; in the second Matilda is not counted.
        women = women_around_her_friend + women_around_him - 1
        return {**entry, "answer": str(women)}
    asked = re.search(r"How many sisters does (\w+)'s brother have\?$", question)
    if asked and not question.startswith(f"{asked[1]} has "):
        return None
    return entry


def needle_haystack(entry: Entry) -> Entry | None:
    """Return the entry; None if the story has two people do what the question asks for."""
    story, question = entry["question"].rsplit("\n", 1)
    doing = question.removeprefix("Who ").split("? Reply")[0]
    people = {
        sentence.removesuffix(f" {doing}")
        for sentence in story.strip().removesuffix(".").split(". ")
        if sentence.endswith(f" {doing}")
    }
    return entry if people == {entry["answer"]} else None
