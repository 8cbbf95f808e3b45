"""Evaluate a drawn circuit of logic gates."""

import random
import re

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


SIGNS = "&↑"
"""Of AND and NAND."""
ZEROS, WEIGHTS = (0, 1, 2), (8, 10, 3)
"""How many inputs of a gate are 0 behind their inverters, and how often.

An input that is the only 0 can't be left out. Without gates of two, the parity of all inputs would
decide.
"""
LEGEND = """\
Legend for gates:
&&: AND
↑↑: NAND
⊕⊕: XOR
>o: Negate

Given the following input assignments:
"""


def correct(entry: Entry) -> Entry:
    """Replace gates, inverters and values of inputs by coins; the last gate becomes an XOR.

    The inverters come last, and give each gate its zeros, so that values or inverters alone say
    nothing. Of other last gates one input decides, and the rest can be left out.
    """
    rng, meta = random_of(entry), entry["metadata"]
    terms = [re.findall("[A-Z]+", term) for term in meta["term_strings"]]
    values = {name: rng.randint(0, 1) for name in meta["inputs"]}
    lines = entry["question"].partition("Legend")[0].split("\n")
    left = lines[2].index("┐") + 2  # of the inverters
    [last] = [line.rindex("│", left + 6) for line in lines if line.endswith(" OUT")]
    drawn: list[str] = []
    strings, output = [], 0
    for sign, names in zip(rng.sample(SIGNS * len(terms), len(terms)), terms, strict=True):
        zeros = rng.sample(range(len(names)), *rng.choices(ZEROS, WEIGHTS))
        output ^= (not zeros) == (sign == "&")
        inverted = [values[name] == (place in zeros) for place, name in enumerate(names)]
        drawn += [f"{'>o' if inverter else '──'}─│{2 * sign}" for inverter in inverted]
        literals = zip(names, inverted, strict=True)
        strings.append(sign.join(name + "'" * inverter for name, inverter in literals))
    for place, texts in ((left, drawn), (last, ["│⊕⊕"] * len(terms))):
        bar = place + texts[0].index("│")
        rows = [n for n, line in enumerate(lines) if line[bar : bar + 1] == "│"]
        for n, text in zip(rows, texts, strict=True):
            lines[n] = lines[n][:place] + text + lines[n][place + len(text) :]
    shown = "".join(f"  {name} = {value}\n" for name, value in values.items())
    question = "\n".join(lines) + f"{LEGEND}{shown}\nWhat is the final output?"
    circuit = {"term_strings": strings, "assignments": values, "final_gate": "XOR"}
    return changed(entry, question, str(int(output)), **circuit)


def family(entry: Entry) -> object:
    """Keep numbers of gates of each kind, and of equal inputs; ignore names, order, wires."""
    drawing, _, rest = entry["question"].partition("Legend")
    inputs = re.findall(r"^ +[A-Z]+ = ([01])$", rest, re.MULTILINE)
    return [drawing.count(gate) for gate in ("&&", "↑↑", "⊕⊕", "++", ">o")], sorted_amounts(inputs)


TASK = Task(
    answer=Bit(),
    correct=correct,
    family=family,
    # The drawing grows with the product of terms and inputs. Of many inputs some can be left out,
    # so there are more terms.
    levels=moving(
        terms=[(2, 3), (4, 5), (6, 6), (6, 7), (7, 8)],
        inputs=[(2, 3), (2, 3), (3, 3), (3, 3), (3, 4)],
    ),
)
