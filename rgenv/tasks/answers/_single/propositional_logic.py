"""Conclusions from premises."""

from __future__ import annotations

import random
import re

from rgenv.tasks.answers.kind import Answer, Forms
from rgenv.tasks.answers.notation import MAX_CHARS
from rgenv.tasks.entry import Entry

_SPELLINGS = {
    "↔": r"<-> <=> <--> <==> ⇔ ⟷ ⟺ ≡ \leftrightarrow \Leftrightarrow \longleftrightarrow \iff IFF",
    "→": r"-> => --> ==> ⇒ ⟶ ⟹ \rightarrow \Rightarrow \longrightarrow \to \implies IMPLIES",
    "∧": r"& && /\ ⋀ \land \wedge AND",
    "∨": r"| || \/ ⋁ \lor \vee OR",
    "¬": r"~ ! \lnot \neg NOT",
}
"""Connective -> its other spellings. A word may have any case."""
_CONNECTIVE_OF = {
    spelling.lower(): sign for sign, row in _SPELLINGS.items() for spelling in row.split()
}
_CONNECTIVE = re.compile(
    r"\\[a-z]+|\b[a-z]{2,}\b|"
    + "|".join(
        re.escape(spelling)
        for spelling in sorted(_CONNECTIVE_OF, key=len, reverse=True)
        if not spelling[-1].isalpha()
    ),
    re.I,
)


class Conclusion(Answer):
    """A formula of propositional logic with the connectives of ASCII, LaTeX or words."""

    def read(self, text: str, entry: Entry) -> str | None:
        if len(text) > MAX_CHARS:
            return None
        return _CONNECTIVE.sub(lambda found: _CONNECTIVE_OF.get(found[0].lower(), found[0]), text)

    def forms(self, reference: str, question: str) -> Forms:
        forms = {"no spaces": reference.replace(" ", "")}
        if reference.startswith("(") and reference.count("(") == 1:
            forms["no outer brackets"] = reference.strip("()")
        return forms

    def misses(self, reference: str, question: str, rng: random.Random) -> Forms:
        return {"negation": f"¬({reference})", "contradiction": f"({reference} ∧ ¬{reference})"}
