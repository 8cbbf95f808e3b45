"""The same quantifiers and circuits for both answers."""

import itertools
import re
from collections import Counter
from typing import Any

import pytest

from benchmarks.label_checks import CHECKS
from rgenv.tasks.logic.circuit_logic import correct as circuit_logic
from rgenv.tasks.logic.circuit_logic import output
from rgenv.tasks.logic.syllogism import correct as syllogism
from rgenv.tasks.logic.syllogism import figures
from tests.worker.labels.surfaces.served import LEVELS, Entry, made, served, share


def brute_force(entry: dict[str, Any], *, exist: bool) -> bool:
    """Return whether the conclusion holds in every allowed world of up to four things.

    Args:
        exist: allow only worlds in which every word applies to something.
    """
    lines = [line.lstrip("12. ").rstrip("?") for line in entry["question"].split("\n")]
    forms = [line.split(" are ") for line in lines if " are " in line]
    words = {w for a, b in forms for w in (a.split()[1], b.removeprefix("not "))}
    kinds = [set(c) for n in range(4) for c in itertools.combinations(sorted(words), n)]

    def holds(world: tuple[set[str], ...], subject: str, predicate: str) -> bool:
        quantifier, noun = subject.split()
        wanted = not predicate.startswith("not ")
        hits = [(predicate.removeprefix("not ") in x) == wanted for x in world if noun in x]
        return {"All": all(hits), "No": not any(hits), "Some": any(hits)}[quantifier]

    for size in range(5):
        for world in itertools.combinations(kinds, size):
            if exist and set().union(*world) != words:
                continue
            if holds(world, *forms[0]) and holds(world, *forms[1]) and not holds(world, *forms[2]):
                return False
    return True


@pytest.mark.parametrize("level", LEVELS)
def test_syllogisms_have_the_answer_of_every_reading(level: float | None) -> None:
    """Brute force finds the answer, whether or not there are things of each kind."""
    entries = served(syllogism, "syllogism", level, 100)
    assert len(entries) == 100 and 0.35 < share(entries, "Yes") < 0.65
    for entry in entries[:60]:
        readings = {brute_force(entry, exist=exist) for exist in (False, True)}
        assert readings == {entry["answer"] == "Yes"} == {entry["metadata"]["is_valid"]}
        assert entry["metadata"]["conclusion"] + "?" in entry["question"]


def test_quantifiers_do_not_decide() -> None:
    """Each answer occurs with the same quantifiers, equally often."""
    counts: dict[str, Counter[tuple[str, ...]]] = {"Yes": Counter(), "No": Counter()}
    for entry in served(syllogism, "syllogism", None, 1500):
        words = re.findall(r"\b(All|No|Some|not)\b", entry["question"].partition(")")[0])
        counts[entry["answer"]][tuple(words)] += 1
    for words in counts["Yes"] | counts["No"]:
        yes, no = counts["Yes"][words], counts["No"][words]
        assert abs(yes - no) < 4 * (yes + no) ** 0.5, words


def test_every_group_of_syllogisms_has_both_answers() -> None:
    """Of the 64 triples of quantifiers, nine have valid and invalid syllogisms."""
    assert len(figures()) == 9
    for groups in figures().values():
        assert groups and all(group[True] and group[False] for group in groups)


def diagram(entry: Entry) -> str:
    return str(entry["question"].partition("Given the following")[0])


@pytest.mark.parametrize("level", LEVELS)
def test_circuits_have_either_output(level: float | None) -> None:
    """The circuit stays, an independent check finds the output, and both are as frequent."""
    entries = served(circuit_logic, "circuit_logic", level, 200)
    assert len(entries) >= 50 and 0.33 < share(entries, "1") < 0.67
    assert all(CHECKS["circuit_logic"](entry) is True for entry in entries)
    drawn = {diagram(entry) for entry in made("circuit_logic", level, 200)}
    assert all(diagram(entry) in drawn for entry in entries)


def test_circuits_with_one_possible_output_are_discarded() -> None:
    """What no input changes is not served, and what some pair of inputs changes is."""
    kept = 0
    for entry in made("circuit_logic", 0.0, 60):
        names = entry["metadata"]["inputs"]
        terms = [
            (
                {"&": "AND", "↑": "NAND", "⊕": "XOR"}[re.findall("[&↑⊕]", text)[0]],
                [(part.rstrip("'"), int("'" in part)) for part in re.split("[&↑⊕]", text)],
            )
            for text in entry["metadata"]["term_strings"]
        ]
        outputs = {
            output(terms, entry["metadata"]["final_gate"], dict(zip(names, values, strict=True)))
            for values in itertools.product((0, 1), repeat=len(names))
        }
        result = circuit_logic(entry)
        kept += result is not None
        assert result is None or outputs == {0, 1}
    assert kept > 20
