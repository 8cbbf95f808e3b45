"""The kinds of answers that only tasks of graphs have."""

import random

from rgenv.tasks import Choice
from rgenv.tasks.answers.words import Word
from rgenv.tasks.graphs import family_relationships, path_star, quantum_lock, shortest_path
from tests.support.written.base import Forms, changes, may_be_right, other_forms
from tests.support.written.parts import separated_forms


@other_forms.register
def _(kind: family_relationships.Relation, reference: str, question: str) -> Forms:
    spaces = {"spaces for hyphens": reference.replace("-", " ")}
    return other_forms.dispatch(Choice)(kind, reference, question) | spaces


@other_forms.register
def _(kind: path_star.NodePath, reference: str, question: str) -> Forms:
    nodes, (*_, task) = reference.split(), question.strip().split("\n")
    return separated_forms(reference, int, arrows=True) | {
        "the question's form": f"{task} {reference}",
        "signs": " > ".join(nodes),
        "dashes": " - ".join(nodes),
    }


@other_forms.register
def _(kind: quantum_lock.Buttons, reference: str, question: str) -> Forms:
    separators = {
        "tight arrows": "→",
        "ASCII arrows": " -> ",
        "commas": ", ",
        "spaces": " ",
        "lines": "\n",
    }
    return {name: reference.replace(" → ", other) for name, other in separators.items()}


@other_forms.register
def _(kind: shortest_path.Directions, reference: str, question: str) -> Forms:
    if len(reference.split()) < 2:
        return other_forms(Word(), reference, question)
    cases = {"upper case": reference.upper(), "title case": reference.title()}
    return separated_forms(reference, arrows=True) | cases


@changes.register
def _(kind: shortest_path.Directions, reference: str, question: str, rng: random.Random) -> Forms:
    if reference == "infeasible":
        return {"a path": rng.choice(["up", "left left", "down right", "right up right"])}
    steps = reference.split()
    turned = rng.choice([step for step in shortest_path._STEPS if step != steps[-1]])
    return {
        "infeasible": "infeasible",
        "too long": f"{reference} up down",
        "turned": " ".join([*steps[:-1], turned]),
        "shuffled": " ".join(rng.sample(steps, len(steps))),
        "left out": " ".join(steps[:-1]),
    }


@may_be_right.register
def _(kind: shortest_path.Directions, text: str, question: str) -> bool:
    """Steps in another order may be as short a path."""
    signs, (y, x), goal = shortest_path._board(question)
    for step in text.split():
        if step not in shortest_path._STEPS:
            return False
        y, x = y + shortest_path._STEPS[step][0], x + shortest_path._STEPS[step][1]
        if signs.get((y, x), "X") == "X":
            return False
    return (y, x) == goal
