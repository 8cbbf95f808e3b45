"""The kinds of answers that only tasks of cognition have."""

from random import Random

from rgenv.tasks.cognition import figlet_font, modulo_grid
from tests.support.written.base import Forms, changes, other_forms


@other_forms.register
def _(kind: figlet_font.DrawnWord, reference: str, question: str) -> Forms:
    return {"lower case": reference.lower(), "upper case": reference.upper()}


@other_forms.register
def _(kind: modulo_grid.Marks, reference: str, question: str) -> Forms:
    lines = reference.split("\n")
    return {
        "spaces": "\n".join(" ".join(line) for line in lines),
        "space at line ends": "\n".join(f"{line} " for line in lines),
        "CRLF": "\r\n".join(lines),
    }


@changes.register
def _(kind: modulo_grid.Marks, reference: str, question: str, rng: Random) -> Forms:
    place = rng.choice([place for place, sign in enumerate(reference) if sign != "\n"])
    other = "✅" if reference[place] == "❌" else "❌"
    return {
        "sign": reference[:place] + other + reference[place + 1 :],
        "row left out": reference.rpartition("\n")[0],
    }
