"""Persons of a puzzle."""

from __future__ import annotations

import random
import re

from rgenv.tasks.answers.kind import Forms
from rgenv.tasks.answers.words import Word


class Person(Word):
    """The name of a person."""

    def misses(self, reference: str, question: str, rng: random.Random) -> Forms:
        listed = re.findall(r"unique name: (.*)", question)
        others = [name for name in listed[0].split(", ") if name != reference] if listed else []
        return {f"other {number}": name for number, name in enumerate(others, 1)}
