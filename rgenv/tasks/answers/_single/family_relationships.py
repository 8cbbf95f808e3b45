"""Relations in a family."""

from __future__ import annotations

import re

from rgenv.tasks.answers.kind import Forms
from rgenv.tasks.answers.words import MAX_CHARS, Choice
from rgenv.tasks.entry import Entry

_HYPHENS = re.compile(r"[\s‐‑–-]+")
_RELATIONS = """
    father mother son daughter husband wife brother sister grandfather grandmother grandson
    granddaughter uncle aunt nephew niece father-in-law mother-in-law son-in-law daughter-in-law
    brother-in-law sister-in-law great-grandfather great-grandmother great-grandson
    great-granddaughter cousin
""".split()


class Relation(Choice):
    """A relation in any case: ``daughter in law`` is ``daughter-in-law``."""

    def __init__(self) -> None:
        super().__init__(*_RELATIONS)

    def read(self, text: str, entry: Entry) -> str | None:
        if len(text) > MAX_CHARS:
            return None
        reference = str(entry["answer"])
        given, right = (_HYPHENS.sub("-", each.strip()).casefold() for each in (text, reference))
        return reference if given == right else given

    def forms(self, reference: str, question: str) -> Forms:
        spaces = {"spaces for hyphens": reference.replace("-", " ")}
        return super().forms(reference, question) | spaces
