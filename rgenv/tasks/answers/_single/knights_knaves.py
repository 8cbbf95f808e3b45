"""Who lies and who tells the truth."""

from __future__ import annotations

import random
import re

from rgenv.tasks.answers.kind import Answer, Forms
from rgenv.tasks.answers.mappings import pairs
from rgenv.tasks.entry import Entry


class Roles(Answer):
    """A role for each person in any form of a mapping, by the words of the question."""

    def read(self, text: str, entry: Entry) -> str | None:
        terms = entry["metadata"]["knight_knave_terms"]
        roles = "|".join(re.escape(str(terms[role])) for role in ("knight", "knave"))
        found = pairs(text, r"\w+", rf"(?:an?\s+)?(?:{roles})")
        if found is None:
            return None
        said = [f"{name} is a {role.split()[-1].lower()}" for name, role in found.items()]
        return ", and ".join(said) + "."

    def forms(self, reference: str, question: str) -> Forms:
        roles = _said(reference)
        said = _sentences(roles)
        return {
            "no full stop": reference.removesuffix("."),
            "bullets": "\n".join(f"- {line}" for line in said),
            "numbered": "\n".join(f"{number}. {line}" for number, line in enumerate(said, 1)),
            "lines": "\n".join(said),
            "colons": "\n".join(f"{name}: {role}" for name, role in roles),
            "colons, commas": ", ".join(f"{name}: {role}" for name, role in roles),
            "reversed": ", and ".join(said[::-1]) + ".",
            "lower case": reference.lower(),
        }

    def misses(self, reference: str, question: str, rng: random.Random) -> Forms:
        singular, plural = re.findall(r"who is an? (\w+) and who is an? (\w+)\?", question)[0]
        other = {singular: plural, plural: singular}
        roles = _said(reference)
        place = rng.randrange(len(roles))
        one = [(n, other[r] if i == place else r) for i, (n, r) in enumerate(roles)]
        changes = {"one": one, "all": [(name, other[role]) for name, role in roles]}
        return {
            name: ", ".join(said[:-1]) + f", and {said[-1]}."
            for name, said in ((name, _sentences(new)) for name, new in changes.items())
        }


def _said(reference: str) -> list[tuple[str, str]]:
    return re.findall(r"(\w+) is an? (\w+)", reference)


def _sentences(roles: list[tuple[str, str]]) -> list[str]:
    return [f"{name} is {'an' if role[0] in 'aeiou' else 'a'} {role}" for name, role in roles]
