"""The kinds of answers that only tasks of logic have."""

import random
import re

from rgenv.tasks.answers.numbers import Number
from rgenv.tasks.logic import aiw, circuit_logic, knights_knaves, propositional_logic, zebra_puzzles
from tests.support.written.base import Forms, changes, other_forms


@other_forms.register
def _(kind: aiw.People, reference: str, question: str) -> Forms:
    asked = aiw._ASKED.search(question)
    counted = {"who is counted": f"{reference} {asked[1]}"} if asked else {}
    return other_forms.dispatch(Number)(kind, reference, question) | counted


@changes.register
def _(kind: circuit_logic.Bit, reference: str, question: str, rng: random.Random) -> Forms:
    return {"other": str(1 - int(reference)), "two": "2", "negative": "-1"}


@other_forms.register
def _(kind: knights_knaves.Roles, reference: str, question: str) -> Forms:
    roles = knights_knaves._ROLE.findall(reference)
    said = knights_knaves._sentences(roles)
    return {
        "no full stop": reference.removesuffix("."),
        "bullets": "\n".join(f"- {line}" for line in said),
        "numbered": "\n".join(f"{number}. {line}" for number, line in enumerate(said, 1)),
        "lines": "\n".join(said),
        "sentences": ". ".join(said) + ".",
        "bold": "\n".join(f"- **{name}** is a **{role}**." for name, role in roles),
        "colons": "\n".join(f"{name}: {role}" for name, role in roles),
        "colons, commas": ", ".join(f"{name}: {role}" for name, role in roles),
        "reversed": ", and ".join(said[::-1]) + ".",
        "lower case": reference.lower(),
    }


@changes.register
def _(kind: knights_knaves.Roles, reference: str, question: str, rng: random.Random) -> Forms:
    singular, plural = re.findall(r"who is an? (\w+) and who is an? (\w+)\?", question)[0]
    other = {singular: plural, plural: singular}
    roles = knights_knaves._ROLE.findall(reference)
    place = rng.randrange(len(roles))
    one = [(n, other[r] if i == place else r) for i, (n, r) in enumerate(roles)]
    changes = {"one": one, "all": [(name, other[role]) for name, role in roles]}
    said = {name: knights_knaves._sentences(new) for name, new in changes.items()}
    return {name: ", ".join(new[:-1]) + f", and {new[-1]}." for name, new in said.items()}


@other_forms.register
def _(kind: propositional_logic.Conclusion, reference: str, question: str) -> Forms:
    forms = {"no spaces": reference.replace(" ", "")}
    if reference.startswith("(") and reference.count("(") == 1:
        forms["no outer brackets"] = reference.strip("()")
    return forms


@changes.register
def _(
    kind: propositional_logic.Conclusion, reference: str, question: str, rng: random.Random
) -> Forms:
    return {"negation": f"¬({reference})", "contradiction": f"({reference} ∧ ¬{reference})"}


@changes.register
def _(kind: zebra_puzzles.Person, reference: str, question: str, rng: random.Random) -> Forms:
    others = [name for name in zebra_puzzles._names(question) if name != reference]
    return {f"other {number}": name for number, name in enumerate(others, 1)}
