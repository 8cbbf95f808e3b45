"""Evaluate a drawn circuit of logic gates."""

import random
import re
from collections.abc import Mapping, Sequence

from rgenv.tasks import Entry, Forms, Number, Task, changed, moving, random_of
from rgenv.tasks.answers.numbers import without_name
from rgenv.tasks.symmetries import sorted_amounts


class Bit(Number):
    """0 or 1, also as ``OUT = 1``."""

    name = "choice"

    def read(self, text: str, entry: Entry) -> str | None:
        return super().read(without_name(text, "OUT"), entry)

    def misses(self, reference: str, question: str, rng: random.Random) -> Forms:
        return {"other": str(1 - int(reference)), "two": "2", "negative": "-1"}


GATES = {"&": "AND", "↑": "NAND", "⊕": "XOR"}
Literal = tuple[str, int]
"""An input, and 1 if it is negated."""
Term = tuple[str, list[Literal]]
"""An inner gate and its inputs."""
MAX_STARTS, MAX_FLIPS = 5, 60
"""Assignments to begin with; in each, gates to put right, and pairs of inputs to exchange."""


def correct(entry: Entry) -> Entry | None:
    """Replace the values of the inputs; a coin decides the output.

    Two assignments that differ in a pair of inputs, one 0 and one 1, have different outputs. The
    coin chooses one of them, so neither the circuit nor the number of ones says which.
    """
    rng = random_of(entry)
    meta = entry["metadata"]
    terms, gate, names = list(map(_term, meta["term_strings"])), meta["final_gate"], meta["inputs"]
    for _ in range(MAX_STARTS):
        first = _rare_assignment(rng, terms, gate, names)
        second = first and _exchanged(rng, terms, gate, first)
        if first and second:
            break
    else:
        return None
    chosen = rng.choice([first, second])
    head, marker, _ = entry["question"].rpartition("Given the following input assignments:\n")
    values = "".join(f"  {name} = {chosen[name]}\n" for name in names)
    question = f"{head}{marker}{values}\nWhat is the final output?"
    if len(question) != len(entry["question"]):
        return None
    return changed(entry, question, str(output(terms, gate, chosen)), assignments=chosen)


def _term(text: str) -> Term:
    [sign] = set(text) & set(GATES)
    return GATES[sign], [(part.rstrip("'"), int("'" in part)) for part in text.split(sign)]


def output(terms: Sequence[Term], final_gate: str, values: Mapping[str, int]) -> int:
    """Return the output of a circuit."""
    return _gate(final_gate, [_value(term, values) for term in terms])


def _value(term: Term, values: Mapping[str, int]) -> int:
    return _gate(term[0], [values[name] ^ negated for name, negated in term[1]])


def _gate(name: str, values: list[int]) -> int:
    if name == "XOR":
        return sum(values) % 2
    result = all(values) if name in ("AND", "NAND") else any(values)
    return int(result != (name in ("NAND", "NOR")))


def _rare_assignment(
    rng: random.Random, terms: Sequence[Term], final_gate: str, names: Sequence[str]
) -> dict[str, int] | None:
    """Return inputs for which all inner gates are as the rarer output demands; None if not found.

    Any inputs do for a final XOR, whose outputs are equally rare.
    """
    values = {name: rng.randint(0, 1) for name in names}
    if final_gate == "XOR":
        return values
    wanted = int(final_gate == "AND")
    # In these gates all inputs must be 1, in the others one that is changed suffices.
    strict = "AND" if wanted else "NAND"
    forced = {literal for gate, literals in terms if gate == strict for literal in literals}
    values.update((name, 1 - negated) for name, negated in forced)
    if any((name, 1 - negated) in forced for name, negated in forced):
        return None
    free = set(names) - {name for name, _ in forced}
    for _ in range(MAX_FLIPS):
        wrong = [term for term in terms if _value(term, values) != wanted]
        if not wrong:
            return values
        flippable = [name for name, _ in rng.choice(wrong)[1] if name in free]
        if not flippable:
            return None
        values[rng.choice(flippable)] ^= 1
    return None


def _exchanged(
    rng: random.Random, terms: Sequence[Term], final_gate: str, values: Mapping[str, int]
) -> dict[str, int] | None:
    """Exchange a 0 and a 1 so that the output changes; None if no such pair is found."""
    pairs = [(one, zero) for one in values if values[one] for zero in values if not values[zero]]
    rng.shuffle(pairs)
    before = output(terms, final_gate, values)
    changes = ({**values, one: 0, zero: 1} for one, zero in pairs[:MAX_FLIPS])
    return next((new for new in changes if output(terms, final_gate, new) != before), None)


def family(entry: Entry) -> object:
    """Keep numbers of gates of each kind, and of equal inputs; ignore names, order, wires."""
    drawing, _, rest = entry["question"].partition("Legend")
    inputs = re.findall(r"^ +[A-Z]+ = ([01])$", rest, re.MULTILINE)
    return [drawing.count(gate) for gate in ("&&", "↑↑", "⊕⊕", "++", ">o")], sorted_amounts(inputs)


TASK = Task(
    answer=Bit(),
    correct=correct,
    labels={"0": 0.5, "1": 0.5},
    family=family,
    # The drawing grows with the product of terms and inputs, and with many terms the last gate
    # alone decides the output. So there are few terms with more inputs and negations.
    levels=moving(
        terms=[(2, 2), (2, 3), (3, 4), (4, 5), (5, 6)],
        inputs=[(2, 3), (3, 4), (3, 5), (4, 6), (5, 6)],
        neg_prob=[0.1, 0.5],
    ),
)
