"""Tell liars from people who speak the truth."""

import re
from typing import Any

from rgenv.tasks import Answer, Answers, Entry, LibraryVerifier, Task, moving
from rgenv.tasks.answers.mappings import pairs
from rgenv.tasks.verifying import credit_above

OPPOSITE = {"telling-truth": "lying", "lying": "telling-truth"}
_ROLE = re.compile(r"(\w+) is an? (\w+)", re.IGNORECASE)


class Roles(Answer):
    """A role for each person in any form of a mapping, by the words of the question."""

    name = "sentence"
    must_be_read = True

    def read(self, text: str, entry: Entry) -> str | None:
        terms = entry["metadata"]["knight_knave_terms"]
        roles = "|".join(re.escape(str(terms[role])) for role in ("knight", "knave"))
        found = pairs(text, r"\w+", rf"(?:an?\s+)?(?:{roles})")
        if found is None:
            return None
        said = [f"{name} is a {role.split()[-1].lower()}" for name, role in found.items()]
        return ", and ".join(said) + "."


def harden(entry: Entry) -> Entry | None:
    """Meet three people: a rule on their words is right in .92 of riddles on two, in .33 of these.

    It knows which of and, or, if and not each person says, and who is called a liar. There are few
    riddles on two people.
    """
    from reasoning_gym import create_dataset  # only workers import it

    config = entry["config"]
    if "n_people" in config:
        return None
    dataset = create_dataset("knights_knaves", size=1, seed=entry["seed"], n_people=3, **config)
    return {**entry, **dataset[0]}


def verify(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Give credit if more than half of the roles are right and each inhabitant is named once.

    The library gives 0.65 to one right role of two.
    """
    right, given = (_ROLE.findall(text.lower()) for text in (str(entry["answer"]), answer))
    if sorted(name for name, _ in given) != sorted(name for name, _ in right):
        return 0.0
    return credit_above(len({*given} & {*right}) / len(right))


def shortcuts(question: str) -> Answers:
    """Trust who says or or if; doubt who says and, or if and only if."""
    [roles] = re.findall(r"only by (\w+)s and (\w+)s", question)
    listed, said = question.partition("inhabitants: ")[2].split(". ", 1)
    parts = []
    for name, text in zip(re.findall(r"[A-Z]\w+", listed), said.split("."), strict=False):
        joined = " and " in text and not (" or " in text or " then " in text)
        parts.append(f"{name} is a {roles[joined != ('not the case' in text)]}")
    return {"by the connectives": ", ".join(parts)}  # .52


def family(entry: Entry) -> object:
    """Keep the shapes of the statements; ignore all names, their order, and the order of
    what `and`, `or` and `iff` join.
    """
    return sorted(map(_shape, entry["metadata"]["statements"]))


def _shape(statement: Any) -> str:
    operator, *parts = statement
    if operator in OPPOSITE:
        return str(operator)
    shapes = [_shape(part) for part in parts]
    if operator == "not" and parts[0][0] in OPPOSITE:
        return OPPOSITE[parts[0][0]]  # as the question says it
    return f"({operator} {' '.join(shapes if operator == '->' else sorted(shapes))})"


TASK = Task(
    answer=Roles(),
    also_right="any order of the people",
    harden=harden,
    verify=verify,
    shortcuts=shortcuts,
    family=family,
    # The curriculum has equal values at two levels, so each level has one more person here.
    levels=moving(
        n_people=[2, 3, 4, 5, 6], depth_constraint=[2, 2, 2, 3, 3], width_constraint=[2, 2, 3, 3, 3]
    ),
)
