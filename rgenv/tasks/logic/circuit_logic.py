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
    """Make the last gate an XOR, and replace the values of the inputs; a coin decides the output.

    Of other last gates one input decides, so that the rest can be left out. Two assignments that
    differ in a pair of inputs, one 0 and one 1, have different outputs. The coin chooses one of
    them, so neither the circuit nor the number of ones says which.
    """
    rng = random_of(entry)
    terms = list(map(_term, entry["metadata"]["term_strings"]))
    for _ in range(MAX_STARTS):
        first = _assignment(rng, terms)
        second = first and _exchanged(rng, terms, first)
        if first and second:
            break
    else:
        return None
    chosen = rng.choice([first, second])
    head, marker, _ = entry["question"].rpartition("Given the following input assignments:\n")
    values = "".join(f"  {name} = {chosen[name]}\n" for name in entry["metadata"]["inputs"])
    question = f"{_with_final_xor(head)}{marker}{values}\nWhat is the final output?"
    return changed(
        entry, question, str(output(terms, chosen)), assignments=chosen, final_gate="XOR"
    )


def _with_final_xor(text: str) -> str:
    """Return a drawing and its legend with another last gate; the legend ends with the last one."""
    *lines, legend = text.rstrip().split("\n")
    sign = legend[:2]
    [place] = [line.rindex(f"│{sign}─") for line in lines if line.endswith(" OUT")]
    lines = [
        f"{line[:place]}│⊕⊕{line[place + 3 :]}" if line.startswith(f"│{sign}", place) else line
        for line in lines
    ]
    return "\n".join([*lines, "⊕⊕: XOR"]) + "\n\n"


def _term(text: str) -> Term:
    [sign] = set(text) & set(GATES)
    return GATES[sign], [(part.rstrip("'"), int("'" in part)) for part in text.split(sign)]


def output(terms: Sequence[Term], values: Mapping[str, int]) -> int:
    """Return the output of a circuit."""
    return sum(_value(term, values) for term in terms) % 2


def _value(term: Term, values: Mapping[str, int]) -> int:
    gate, literals = term
    bits = [values[name] ^ negated for name, negated in literals]
    return sum(bits) % 2 if gate == "XOR" else int(all(bits) == (gate == "AND"))


def _assignment(rng: random.Random, terms: Sequence[Term]) -> dict[str, int] | None:
    """Return inputs for which the inner gates have the values that coins decide; None if not found.

    Few inputs of an AND are 0, so few of them can be left out.
    """
    literals = [literal for _, literals in terms for literal in literals]
    values = {name: 1 - negated for name, negated in rng.sample(literals, len(literals))}
    wanted = [rng.randint(0, 1) for _ in terms]
    for _ in range(MAX_FLIPS):
        pairs = zip(terms, wanted, strict=True)
        wrong = [term for term, value in pairs if _value(term, values) != value]
        if not wrong:
            return values
        gate, literals = rng.choice(wrong)
        zeros = {name for name, negated in literals if values[name] == negated}
        flipped = sorted(zeros) if gate != "XOR" and zeros else [rng.choice(literals)[0]]
        values.update((name, 1 - values[name]) for name in flipped)
    return None


def _exchanged(
    rng: random.Random, terms: Sequence[Term], values: Mapping[str, int]
) -> dict[str, int] | None:
    """Exchange a 0 and a 1 so that the output changes; None if no such pair is found."""
    pairs = [(one, zero) for one in values if values[one] for zero in values if not values[zero]]
    rng.shuffle(pairs)
    changes = ({**values, one: 0, zero: 1} for one, zero in pairs[:MAX_FLIPS])
    before = output(terms, values)
    return next((new for new in changes if output(terms, new) != before), None)


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
